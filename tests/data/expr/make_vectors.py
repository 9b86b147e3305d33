#!/usr/bin/env python3
"""Ask Spark 3.5 (ANSI off, UTC) what expressions of the rule language give over a small table of hard values.

Writes rows.tsv (the table as texts; the first line has name:type) and vectors.tsv (expression, type, one result a row; type ERROR:
Spark refuses the expression) beside this script. Texts have \\t \\n \\\\ escaped, NULL is \\N. Needs pyspark 3.5 and Java 17.
"""
import decimal
import itertools
import pathlib
import random

from pyspark.sql import SparkSession

HERE = pathlib.Path(__file__).parent
COLUMNS = ["t:tinyint", "h:smallint", "i:int", "b:bigint", "f:float", "d:double", "n:decimal(10,2)", "m:decimal(18,6)", "x:decimal(38,10)",
           "s:string", "q:string", "p:boolean", "o:boolean", "a:date", "e:date", "z:timestamp", "l:timestamp_ntz"]
N = None
ROWS = [
    ["1", "1", "1", "1", "1", "1", "1", "1", "1", "abc", "1", "true", "true", "2024-01-31", "2024-02-29", "2024-01-31 12:30:45.5",
     "2024-01-31 12:30:45.5"],
    [N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N],
    ["127", "32767", "2147483647", "9223372036854775807", "3.4028235E38", "1.7976931348623157E308", "99999999.99", "999999999999.999999",
     "9999999999999999999999999999.9999999999", "héllo wörld", "1.5", "true", "false", "9999-12-31", "1970-01-01",
     "9999-12-31 23:59:59.999999", "1969-12-31 23:59:59.999999"],
    ["-128", "-32768", "-2147483648", "-9223372036854775808", "-3.4028235E38", "-1.7976931348623157E308", "-99999999.99",
     "-999999999999.999999", "-9999999999999999999999999999.9999999999", "", "", "false", "true", "0001-01-01", "9999-12-31",
     "0001-01-01 00:00:00", "2024-02-29 00:00:00"],
    ["0", "0", "0", "0", "-0.0", "-0.0", "0", "0", "0", "a_b%c\\d", "0", "false", "false", "1970-01-01", "1969-12-31",
     "1970-01-01 00:00:00", "1970-01-01 00:00:00"],
    ["-1", "-1", "-1", "-1", "NaN", "NaN", "-1.5", "-2.5", "-0.5", "  pad  ", " 7 ", N, "true", "2023-12-31", "2024-01-01",
     "1969-12-31 23:59:59.5", "9999-12-31 00:00:00"],
    ["2", "3", "7", "-7", "Infinity", "-Infinity", "2.45", "2.675", "0.0000000001", "Straße", "2024-02-29", "true", N, "2024-02-29",
     "2023-02-28", "2024-02-29 00:00:00", "2024-02-29 23:59:59"],
    ["100", "300", "16777217", "9007199254740993", "0.1", "0.1", "10.05", "0.125000", "12345.6789", "😀a\u0301b", "nan", "false", N,
     "1582-10-04", "1582-10-15", "1582-10-10 01:02:03", "1582-10-10 01:02:03"],
    ["5", "5", "65536", "4294967296", "2.5", "2.675", "5", "5", "5", "tab\there\nline", "true", "true", "true", "2024-03-01",
     "2024-02-29", "2024-03-01 00:00:00.000001", "2024-03-01 00:00:00"],
    ["-5", "-5", "-65536", "-4294967296", "-2.5", "1.0E16", "-5.55", "-0.000001", "-12345.6789", "ABC", "-2147483649", "false", "false",
     "0004-02-29", "0001-01-01", "1900-01-01 05:00:00", "0001-01-01 00:00:00"],
]

NUMBERS = ["t", "h", "i", "b", "f", "d", "n", "m", "x", "q"]
WHOLES = ["t", "h", "i", "b"]
LITERALS = ["0", "1", "-1", "7", "2147483648", "1.5", "-0.05", "100.000", "1e2", "2.5D", "NULL", "5L", "3Y", "0.5F"]
MOMENTS = ["a", "z", "l", "DATE '2024-02-29'", "TIMESTAMP '2024-02-29 00:00:00'", "'2024-02-29'", "'2024-02-29 12:00:00'", "s", "q", "NULL"]


def comparisons():
    for left, right in itertools.combinations(NUMBERS, 2):
        yield f"{left} = {right}"
        yield f"{left} < {right}"
    for left, right in itertools.product(NUMBERS, LITERALS):
        yield f"{left} >= {right}"
        yield f"{left} <=> {right}"
    for left, right in itertools.combinations(MOMENTS, 2):
        yield f"{left} <= {right}"
        yield f"{left} = {right}"
    yield from ["s < 'b'", "s >= ''", "s <> q", "s <=> NULL", "'a' = 'A'", "p = o", "p > o", "p = 'true'", "q = p", "p <=> o", "p = 1",
                "i > 1.5", "i <= 2147483647.5", "b < 1.5", "b = 9223372036854775807", "i > -99999999999999999999", "n = 2.450",
                "n > 2.4499999999", "x = 0.00000000010", "d = 0.1", "f = 0.1", "f = CAST(0.1 AS FLOAT)", "d = f", "f > 0.1", "t = 127",
                "t > 128", "h < 40000", "1 = 1.0", "'1' = 1", "'1.0' = 1", "'1.0' = 1.0", "'x' = 1", "' 1 ' = 1", "d = 'NaN'", "d = d",
                "d <> d", "f >= d", "NULL = NULL", "NULL <=> NULL", "NULL > 1", "s = 5", "s > i", "q < n", "q = d", "q = f", "q = t",
                "a = s", "a = i", "z = i", "p = a", "p < s", "i == b", "NOT i = b", "! p", "i = 1 = p", "i = 1 IS NULL"]


def arithmetic():
    for left, op, right in itertools.product(NUMBERS, "+-*/%", NUMBERS):
        yield f"{left} {op} {right}"
    for left, op, right in itertools.product(["i", "b", "d", "n", "x", "q"], "+-*/%", ["3", "-2", "0", "0.1", "2.50", "1e-3", "NULL"]):
        yield f"{left} {op} {right}"
        yield f"{right} {op} {left}"
    for c in NUMBERS + ["s", "p", "a"]:
        yield f"-{c}"
        yield f"+{c}"
    yield from ["i + 1 * 2 - 3", "(i + 1) * 2", "i - -1", "- - i", "i / 2 * 2", "n * n", "n * n * n", "n / 3", "n / n / n", "m * m", "m / m",
                "m * n", "n + m - x", "x + 1", "x * 1.5", "x / 3", "b + 1", "b * b", "b * b * b", "t * t", "t + 1Y", "h * 2S", "-t", "0 / 0",
                "1 / 0", "0.0 / 0", "1.0 / 3", "2 / 3", "7 % 3", "-7 % 3", "7 % -3", "7.5 % 2", "-7.5 % 2.25", "d % 0.7", "f % 2",
                "1.1 + 2.22", "99999999999999999999 * 2", "NULL + NULL", "NULL * 1.5", "s + 1", "q + q", "'1.5' * 2", "p + 1",
                "a + 1", "1 + a", "a - 1", "a + b", "a - e", "a + 1.5", "z + 1", "a + NULL", "a + t", "a - h", "a * 2", "i + i + i + i",
                "CAST(n AS DECIMAL(38,2)) + CAST(n AS DECIMAL(38,2))", "CAST(x AS DECIMAL(38,6)) * 2", "CAST(n AS DECIMAL(20,2)) * n * n",
                "CAST(n AS DECIMAL(18,2)) / CAST(m AS DECIMAL(18,2))", "CAST(n AS DECIMAL(18,2)) * CAST(m AS DECIMAL(18,2))"]


def logic():
    for left, op, right in itertools.product(["p", "TRUE", "NULL"], ["AND", "OR"], ["o", "FALSE", "NULL"]):
        yield f"{left} {op} {right}"
    for test in ["NULL", "TRUE", "FALSE", "NOT NULL", "NOT TRUE", "NOT FALSE", "UNKNOWN"]:
        yield f"p IS {test}"
        yield f"(i > 0) IS {test}"
    yield from ["NOT p", "NOT NULL", "NOT p AND o", "p OR o AND i > 0", "(p OR o) AND i > 0", "NOT (p OR o)", "i IS NULL", "s IS NOT NULL",
                "d IS NULL", "isnull(s)", "isnotnull(i)", "isnan(d)", "isnan(f)", "isnan(i)", "isnan(q)", "i AND p", "NOT i",
                "i IS DISTINCT FROM b", "i IS NOT DISTINCT FROM b", "d IS NOT DISTINCT FROM f",
                "i BETWEEN 0 AND 7", "i NOT BETWEEN 0 AND 7", "i BETWEEN NULL AND 7", "d BETWEEN -1 AND 1", "s BETWEEN 'a' AND 'b'",
                "q BETWEEN 0 AND 2", "a BETWEEN '2024-01-01' AND '2024-12-31'", "a BETWEEN DATE '2024-01-01' AND z", "n BETWEEN 1.5 AND q",
                "i + 1 BETWEEN t AND 7.5", "x BETWEEN n AND m",
                "i IN (1, 7, 65536)", "i IN (1, NULL)", "i NOT IN (1, NULL)", "NULL IN (1)", "i IN ('1', '7')", "s IN ('abc', '')",
                "s NOT IN ('abc', 'ABC')", "q IN (1, 0)", "q IN ('1', 1.50)", "n IN (1, 2.45)", "n IN (1.000, 5)", "d IN (0, 1)",
                "d IN (0.1)", "f IN (0.1)", "f IN (2.5, -2.5)", "a IN (DATE '2024-02-29')", "a IN ('2024-02-29')", "z IN (a)", "p IN (true)",
                "p IN ('true')", "b IN (i, t)", "x IN (n, m)", "i IN (1.0)", "a IN (z, l)", "z IN ('2024-02-29 00:00:00')",
                "l IN ('2024-02-29 00:00:00', '1970-01-01 00:00:00')", "d IN ('1.0')", "i IN (b, d)", "i IN (p)"]


def choices():
    yield from ["CASE WHEN p THEN 'yes' WHEN o THEN 'other' ELSE s END", "CASE WHEN p THEN i END", "CASE WHEN p THEN i ELSE b END",
                "CASE WHEN p THEN i ELSE n END", "CASE WHEN p THEN i ELSE s END", "CASE WHEN p THEN n ELSE d END", "CASE WHEN i THEN 1 END",
                "CASE i WHEN 1 THEN 'one' WHEN 7 THEN 'seven' END", "CASE s WHEN 'abc' THEN 1 ELSE 2.5 END", "CASE WHEN p THEN NULL END",
                "CASE WHEN p THEN NULL ELSE 1 END", "CASE q WHEN 1 THEN 'a' WHEN '0' THEN 'b' ELSE 'c' END", "CASE WHEN p THEN a ELSE z END",
                "CASE WHEN p THEN a ELSE s END", "CASE WHEN p THEN p ELSE s END", "CASE WHEN NULL THEN 1 END", "CASE WHEN p THEN n ELSE x END",
                "if(p, i, b)", "if(p, i, 'no')", "if(p, n, 0)", "if(p, a, z)", "if(NULL, 1, 2)", "if(i, 1, 2)", "if(p, x, m)",
                "coalesce(i, 0)", "coalesce(i, b, 0)", "coalesce(s, 'none')", "coalesce(i, 'none')", "coalesce(n, 0)", "coalesce(n, m, x)",
                "coalesce(NULL, i)", "coalesce(d, 0)", "coalesce(n, d)", "coalesce(a, z)", "coalesce(p, s)", "nvl(i, 1.5)", "ifnull(s, '-')",
                "coalesce(p, false)", "coalesce(NULL)", "nullif(i, 1)", "nullif(s, '')", "nullif(i, b)", "nullif(i, 1.0)", "nullif(q, 1)",
                "nullif(d, d)", "nullif(n, 5)", "nullif(i, '1')", "nullif(trim(s), 'ABC')", "nullif(a, '2024-02-29')", "nullif(NULL, 1)",
                "greatest(i, b)", "greatest(i, NULL, 3)", "greatest(s, 'b')", "greatest(i, 1.5)", "greatest(d, f)", "greatest(d, 0)",
                "greatest(n, m, x)", "greatest(a, e)", "greatest(a, z)", "greatest(i, s)", "greatest(p, o)", "greatest(NULL, NULL)",
                "least(i, b)", "least(i, NULL, 3)", "least(s, 'b', q)", "least(d, 0)", "least(n, d)", "least(t, h, i, b)", "least(a, e)"]


def numbers():
    for c in NUMBERS + ["p", "s", "a", "NULL"]:
        yield from [f"abs({c})", f"floor({c})", f"ceil({c})", f"round({c})", f"round({c}, 1)"]
    yield from ["round(n, 2)", "round(n, 5)", "round(m, 3)", "round(x, 0)", "round(d, 2)", "round(d, 15)", "round(2.5)", "round(-2.5)",
                "round(2.675D, 2)", "round(1.005D, 2)", "round(0.5D)", "round(-0.4D)", "round(f, 1)", "round(i, 3)", "round(n, i)",
                "ceiling(n)", "floor(-2.5)", "ceil(9.9)", "floor(2.5D)", "ceil(-0.5D)", "abs(-5)", "abs(-2.50)", "floor(1e300)",
                "round(CAST(1 AS DECIMAL(38,37)), 1)", "round(123456789012345.678D, 2)", "floor('1.5')", "round(n + m, 1)", "round(n / 7, 4)"]


def texts():
    for f in ["trim", "ltrim", "rtrim", "upper", "ucase", "lower", "lcase", "length", "char_length"]:
        for c in ["s", "q", "i", "n", "p", "a", "d", "NULL"]:
            yield f"{f}({c})"
    for start, length in itertools.product(["1", "2", "0", "-2", "-20", "20", "i", "NULL"], [None, "0", "2", "-1", "20", "i", "NULL"]):
        yield f"substring(s, {start}" + (f", {length})" if length else ")")
    for n in ["0", "2", "-1", "100", "i", "t", "NULL", "b", "'1'"]:
        yield f"left(s, {n})"
        yield f"right(s, {n})"
    yield from ["substr(s, 2, 3)", "substring('abc', 1)", "concat(s, q)", "concat(s, NULL)", "concat(s, i, n, p)", "concat(s)", "s || q",
                "s || i", "i || s", "s || NULL", "s || a", "s || z", "s || l", "s || n", "s || d", "s || x", "'a' || 'b' || 'c' = 'abc'",
                "concat(a, '!')", "concat(z, '!')", "replace(s, 'b')", "replace(s, 'b', 'xx')", "replace(s, '', 'x')", "replace(s, 'l', NULL)",
                "replace(s, s, q)", "'it\\'s'", "'a\\\\b'", "'tab\\there'", "'\\u00e9\\101'", "'a' 'b'", "\"double\"", "r'a\\d'",
                "s LIKE 'a%'", "s LIKE '%b%'", "s LIKE '_b_'", "s LIKE 'a\\\\_b%'", "s LIKE 'a\\\\_b\\\\%c\\\\\\\\d'", "s LIKE ''", "s LIKE '%'",
                "s NOT LIKE 'a%'", "s LIKE NULL", "i LIKE '1%'", "s LIKE '%line'", "s LIKE '____'", "s LIKE '%é%'", "s LIKE 'a\\\\b'",
                "s RLIKE '^[a-z]+$'", "s RLIKE 'b'", "s NOT RLIKE '^A'", "regexp_like(s, '\\\\d')", "s RLIKE '\\\\s'", "s RLIKE r'^\\w+$'",
                "q RLIKE '^-?[0-9]+$'", "i RLIKE '^1'", "s REGEXP '.'", "s RLIKE '('", "length(s) > 3 AND s <> upper(s)",
                "length(trim(s)) = 0", "upper(trim(s)) = 'ABC'", "length(concat(s, q)) > 5"]


def moments():
    for f in ["year", "month", "day", "dayofmonth", "dayofweek", "hour", "minute", "second", "last_day", "to_date"]:
        for c in ["a", "e", "z", "l", "q", "'2024-02-29 10:20:30'", "NULL", "i"]:
            yield f"{f}({c})"
    for n in ["1", "-1", "t", "h", "i", "0", "NULL", "b", "1.5"]:
        yield from [f"date_add(a, {n})", f"date_sub(a, {n})", f"add_months(a, {n})"]
    for left, right in itertools.combinations(["a", "e", "z", "l", "q", "'2024-01-01'", "NULL"], 2):
        yield f"datediff({left}, {right})"
    yield from ["datediff(a, e) <= 30", "date_add(z, 1)", "add_months('2024-01-31', 1)", "add_months(a, 12) > e", "a + 1 = date_add(a, 1)",
                "z >= CAST(a AS TIMESTAMP)", "CAST(z AS DATE) = a", "year(a) = 2024 AND month(a) IN (1, 2)", "last_day(a) = a",
                "DATE '2024-2-9'", "TIMESTAMP '2024-02-29 01:02:03.004 +05:30'", "TIMESTAMP '2024-02-29T01:02:03Z'",
                "TIMESTAMP '2024-02-29'", "DATE '2024-02-30'", "date_add(DATE '9999-12-31', 1)"]


TYPES = ["tinyint", "smallint", "int", "bigint", "float", "double", "decimal(10,2)", "decimal(5,0)", "decimal(38,18)", "string", "boolean",
         "date", "timestamp", "timestamp_ntz"]


def casts():
    for column, to in itertools.product([c.split(":")[0] for c in COLUMNS if c[0] not in "eo"] + ["NULL"], TYPES):
        yield f"CAST({column} AS {to})"
    yield from ["CAST('12' AS varchar(5))", "CAST(1.99 AS INT)", "CAST(-1.99 AS INT)", "CAST(0.1 AS FLOAT)", "CAST(1e40 AS FLOAT)",
                "CAST(300 AS TINYINT)", "CAST(' 12 ' AS INT)", "CAST('1e3' AS DECIMAL(10,2))", "CAST(d AS DECIMAL(38,0))",
                "CAST(CAST(i AS STRING) AS INT) = i", "CAST(n AS STRING)", "CAST(1 AS nonsense)", "CAST(2.345D AS DECIMAL(10,2))"]


def foreign():
    """Forms in which Spark, delta-rs and Databricks put rules on a table."""
    for c in ["s", "q", "i", "n", "p", "a", "d", "NULL"]:
        yield f"btrim({c})"
    yield from ["i > 0 IS TRUE", "n < 3 IS NOT TRUE", "(i > 0) IS NOT DISTINCT FROM true", "s IS DISTINCT FROM 'abc'", "i = 1 OR i = 7",
                "NOT i <=> 7", "s IS NOT NULL AND s != ''", "CASE WHEN s IS NOT NULL THEN s ELSE 'x' END != ''", "i >= 1 AND i <= 7",
                "`s` IN ( 'abc' , 'ABC' )", "length ( s ) < 5", "(`n` > CAST(1 AS DECIMAL(10,0)))", "(i IS NOT NULL)", "(NOT (s = ''))",
                "s LIKE 'a%' OR s LIKE 'A%'"]


GROWN = {
    "number": ["{number} + {number}", "{number} - {number}", "{number} * {number}", "{number} / {number}", "{number} % {number}",
               "-({number})", "abs({number})", "round({number}, 1)", "floor({number})", "ceil({number})", "length({text})",
               "CAST({any} AS INT)", "CAST({any} AS DOUBLE)", "CAST({any} AS DECIMAL(12,3))", "coalesce({number}, {number})",
               "nullif({number}, {number})", "greatest({number}, {number})", "least({number}, {number})", "datediff({moment}, {moment})",
               "year({moment})", "dayofweek({moment})", "CASE WHEN {truth} THEN {number} ELSE {number} END", "if({truth}, {number}, 1)"],
    "text": ["upper({text})", "trim({text})", "concat({text}, {text})", "{text} || {any}", "substring({text}, {count}, {count})",
             "left({text}, {count})", "right({text}, {count})", "replace({text}, {text}, 'x')", "coalesce({text}, {any})",
             "CASE WHEN {truth} THEN {text} ELSE {any} END", "nullif({text}, {any})", "CAST({any} AS STRING)", "lower({text})"],
    "moment": ["date_add({moment}, {count})", "add_months({moment}, {count})", "last_day({moment})", "CAST({any} AS DATE)",
               "CAST({moment} AS TIMESTAMP)", "greatest({moment}, {moment})", "to_date({text})", "coalesce({moment}, {moment})"],
    "truth": ["{any} = {any}", "{number} < {number}", "{number} >= {any}", "{text} <> {text}", "{any} <=> {any}", "{any} IS NULL",
              "{truth} AND {truth}", "{truth} OR {truth}", "NOT ({truth})", "({truth}) IS TRUE", "{any} IN ({any}, {any})",
              "{any} NOT IN ({any}, {any})", "{number} BETWEEN {any} AND {number}", "{text} LIKE '%a%'", "{text} RLIKE '^[a-z0-9]'",
              "{moment} <= {moment}", "{moment} > {text}"],
    "count": ["{count}", "CAST({number} AS INT)", "length({text})"],
}
LEAVES = {
    "number": ["t", "h", "i", "b", "f", "d", "n", "m", "q", "0", "1", "-3", "2.50", "0.5", "1e3", "100L"],
    "text": ["s", "q", "'a'", "''", "' Ab '", "'2024-02-29'", "'1.5'"],
    "moment": ["a", "e", "z", "l", "DATE '2024-02-29'", "TIMESTAMP '2024-02-29 12:00:00'"],
    "truth": ["p", "o", "TRUE", "i > 0", "s IS NOT NULL"],
    "count": ["1", "0", "-2", "3", "t", "i"],
}


def grow(kind, depth, chance):
    """A random expression of a kind; always in brackets, so that precedence is not what it tests."""
    if kind == "any":
        kind = chance.choice(["number", "number", "text", "moment", "truth"])
    if depth == 0 or chance.random() < 0.15:
        return chance.choice(LEAVES[kind])
    shape = chance.choice(GROWN[kind])
    while "{" in shape:
        hole = shape[shape.index("{") + 1:shape.index("}")]
        shape = shape.replace("{" + hole + "}", f"({grow(hole, depth - 1, chance)})", 1)
    return shape


def random_trees(count):
    chance = random.Random(1)
    for _ in range(count):
        yield grow("any", chance.choice([2, 2, 3, 4]), chance)


def escape(text):
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


def shown(value, kind="string"):
    if value is None:
        return "\\N"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, decimal.Decimal):
        with decimal.localcontext() as context:
            context.prec = 80
            scale = int(kind.rstrip(")").split(",")[1])
            return format(value.quantize(decimal.Decimal(1).scaleb(-scale)), "f")
    return escape(str(value))


def type_of(table, expression):
    try:
        return table.selectExpr(f"{expression} AS r").schema[0].dataType.simpleString()
    except Exception:
        return None


def collect(table, batch):
    """Rows of a list of (expression, type); moments as the text Spark prints, because Python knows fewer of them."""
    outer = [f"CAST(r{k} AS STRING)" if t in ("date", "timestamp", "timestamp_ntz") else f"r{k}" for k, (_, t) in enumerate(batch)]
    inner = ["_k"] + [f"{e} AS r{k}" for k, (e, _) in enumerate(batch)]
    return [row[1:] for row in table.selectExpr(*inner).selectExpr("_k", *outer).orderBy("_k").collect()]


def results(table, batch):
    try:
        yield from zip(batch, zip(*collect(table, batch)))
    except Exception as error:
        if len(batch) == 1:
            print("throws:", batch[0][0], str(error).split("\n")[0][:100])
            return
        half = len(batch) // 2
        yield from results(table, batch[:half])
        yield from results(table, batch[half:])


def main():
    spark = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.sql.session.timeZone", "UTC")
             .config("spark.sql.ansi.enabled", "false").config("spark.sql.codegen.wholeStage", "false")
             .config("spark.sql.shuffle.partitions", "1").getOrCreate())
    spark.sparkContext.setLogLevel("OFF")
    names = [c.split(":")[0] for c in COLUMNS]
    raw = spark.createDataFrame([[k] + row for k, row in enumerate(ROWS)], ", ".join(["_k int"] + [f"{n} string" for n in names]))
    # cached rows: literals meet columns, not each other
    table = raw.selectExpr("_k", *[f"CAST({c.split(':')[0]} AS {c.split(':')[1]}) AS {c.split(':')[0]}" for c in COLUMNS]).cache()
    expressions = list(dict.fromkeys(itertools.chain(comparisons(), arithmetic(), logic(), choices(), numbers(), texts(), moments(),
                                                     casts(), foreign(), random_trees(1500))))
    typed = [(e, type_of(table, e)) for e in expressions]
    with open(HERE / "rows.tsv", "w", encoding="utf-8") as out:
        out.write("\t".join(COLUMNS) + "\n")
        for row in ROWS:
            out.write("\t".join(shown(v) for v in row) + "\n")
    with open(HERE / "vectors.tsv", "w", encoding="utf-8") as out:
        out.write(f"# Spark {spark.version}, ANSI off, UTC: expression, type, result of each row of rows.tsv. Made by make_vectors.py.\n")
        for expression in [e for e, t in typed if t is None]:
            out.write(f"{escape(expression)}\tERROR\n")
        known = [(e, t) for e, t in typed if t is not None]
        for at in range(0, len(known), 40):
            for (expression, kind), values in results(table, known[at:at + 40]):
                out.write("\t".join([escape(expression), kind] + [shown(v, kind) for v in values]) + "\n")


main()
