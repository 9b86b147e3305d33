"""Writes spark_csv_dialect_tokens.ndjson and spark_csv_dialect_files.ndjson beside this file: what Spark's CSV reader makes
of random lines and files under dialects other than the usual one. Needs pyspark 3.5; python make_csv_dialect.py [SEED].

tokens: [delimiter, quote, escape, line, [tokens, null for NULL], same], from the tokenizer as CSVOptions sets it up, with a nullValue
that does not occur. For a delimiter of several characters Spark's tokenizer has code of its own, which doubles a quote at the end of a
line, loses characters behind a piece of the delimiter and makes '' of an absent last value. So the tokens are those of the line with one
character in the delimiter's place; `same` says whether Spark's other code agrees. files: [options, text, [[value..., _corrupt_record]...]], read with a schema of three strings."""
import json
import pathlib
import random
import sys
import tempfile

from pyspark.sql import SparkSession

HERE = pathlib.Path(__file__).resolve().parent
NEVER = "\x01never\x01"
ONE = "\ue000"
DELIMITERS = ["||", "¦", "::", "|;|", "\t|", "§§", ", ", "aab", "日本"]


def settings_of(jvm, options):
    given = jvm.java.util.HashMap()
    for name, value in options.items():
        given.put(name, value)
    scala = jvm.org.apache.spark.api.python.PythonUtils.toScalaMap(given)
    return jvm.org.apache.spark.sql.catalyst.csv.CSVOptions(scala, False, "UTC").asParserSettings()


def random_line(chance, delimiter, quote, escape):
    parts = [delimiter] * 3 + [quote] * 4 + [escape, "a", "b", " ", "x y", delimiter[:1], delimiter[-1:], "ü", ""]
    return "".join(chance.choice(parts) for _ in range(chance.randrange(1, 14))).replace("\n", "")


def parse(jvm, delimiter, quote, escape, line):
    parser = jvm.com.univocity.parsers.csv.CsvParser(settings_of(
        jvm, {"sep": delimiter, "quote": quote, "escape": escape, "nullValue": NEVER}))
    return [None if t == NEVER else t for t in parser.parseLine(line)]


def tokens(spark, chance):
    for round_ in range(1600):
        delimiter, quote = chance.choice(DELIMITERS), chance.choice("\"\"'")
        escape = chance.choice([quote, quote, "\\"])
        line = random_line(chance, delimiter, quote, escape)
        if not line.strip():
            continue
        one = parse(spark._jvm, ONE, quote, escape, line.replace(delimiter, ONE))
        one = [None if t is None else t.replace(ONE, delimiter) for t in one]
        yield [delimiter, quote, escape, line, one, one == parse(spark._jvm, delimiter, quote, escape, line)]


def random_file(chance, comment, marker, is_multi_line):
    lines = []
    for _ in range(chance.randrange(1, 9)):
        kind = chance.randrange(10)
        if kind == 0:
            lines.append("")
        elif kind == 1:
            lines.append("  \t" if not is_multi_line else "")
        elif kind == 2:
            lines.append(comment + " note, " + chance.choice(['"', "x"]) if comment else "#,b,c")
        elif kind == 3:
            lines.append(" " + (comment or "#") + ",b,c")
        else:
            values = ["a", "", '""', marker, f'"{marker}"', f'"x,{marker}"', " " + marker, f'"{comment}"', "ü"]
            if is_multi_line:
                values += ['"p\nq"', '"\n"']
            lines.append(",".join(chance.choice(values) for _ in range(chance.choice([3, 3, 3, 2, 4]))))
    return "\n".join(lines) + chance.choice(["", "\n"])


def files(spark, chance, folder):
    for round_ in range(160):
        comment, marker = chance.choice(["", "#", "/"]), chance.choice(["NA", "-", ""])
        is_multi_line = chance.random() < 0.3
        text = random_file(chance, comment, marker, is_multi_line)
        path = folder / f"{round_}.csv"
        path.write_bytes(text.encode())
        reader = spark.read.schema("a string, b string, c string, _corrupt_record string").option("header", False)
        reader = reader.option("quote", '"').option("escape", '"').option("multiLine", is_multi_line)
        reader = reader.option("nullValue", marker).option("emptyValue", "")
        if comment:
            reader = reader.option("comment", comment)
        rows = [list(row) for row in reader.csv(str(path)).collect()]
        yield [{"comment": comment, "marker": marker, "multiLine": is_multi_line}, text, rows]


def main():
    chance = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", False).config(
        "spark.sql.session.timeZone", "UTC").config("spark.sql.csv.parser.columnPruning.enabled", False).getOrCreate()
    with tempfile.TemporaryDirectory() as folder:
        for name, rows in (("tokens", tokens(spark, chance)), ("files", files(spark, chance, pathlib.Path(folder)))):
            with open(HERE / f"spark_csv_dialect_{name}.ndjson", "w") as out:
                for row in rows:
                    out.write(json.dumps(row, ensure_ascii=False) + "\n")
    spark.stop()


main()
