#!/usr/bin/env python3
"""Ask Spark 3.5 how its JSON reader takes lines, and what get_json_object gives.

Writes reader.ndjson (line, is_corrupt, a, b: the reader with string columns a and b, PERMISSIVE) and get_json_object.ndjson (json, path,
value) beside this script. Needs pyspark 3.5 and Java 17.
"""
import json
import pathlib
import random
import tempfile

from pyspark.sql import SparkSession

HERE = pathlib.Path(__file__).parent
LINES = [
    '{}', '{"a":"x"}', '{"a":1,"b":2}', ' { "a" : 1 , "b" : 2 } ', '\t{"a":1}\t', '{"a":null}', '{"a":true,"b":false}', '{"b":"x","a":"y"}',
    '{"c":1}', '{"A":1}', '{"a":{"x":1}}', '{"a":[1,2]}', '{"a":{}}', '{"a":[]}', '{"a":[[],{}]}', "{'a':'x'}", "{'a':\"it's\"}",
    "{'a':'say \"hi\"'}", r"""{'a':'it\'s'}""", r'{"a":"it\'s"}', r'{"a":"\"\\\/\b\f\n\r\t"}', r'{"a":"\u00e9\u00E9\u20ac"}', r'{"a":"\ud83d\ude42"}',
    r'{"a":"\u0000"}', r'{"a":"\x41"}', r'{"a":"\u12"}', r'{"a":"\u12g4"}', r'{"a":"\a"}', '{"a":"x', '{"a":"x}', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{',
    '{"a":1}}', '{"a":1]', '{"a":[1}', '{"a":[1,}', '{"a":[1,]}', '{"a":[,1]}', '{"a":{"x"}}', '{"a":{"x":}}', '{"a":{,}}', '{,}', '{"a":1,}', '{"a" 1}', '{a:1}',
    '{"a":01}', '{"a":-01}', '{"a":+1}', '{"a":.5}', '{"a":5.}', '{"a":1e}', '{"a":1e+}', '{"a":1e5}', '{"a":1E-5}', '{"a":-0}', '{"a":-0.0}', '{"a":-}', '{"a":1.10}',
    '{"a":12345678901234567890}', '{"a":0x10}', '{"a":1_000}', '{"a":NaN}', '{"a":Infinity}', '{"a":-Infinity}', '{"a":+Infinity}', '{"a":INF}', '{"a":-INF}',
    '{"a":+INF}', '{"a":-NaN}', '{"a":nan}', '{"a":inf}', '{"a":NaNx}', '{"a":[NaN]}', '{"a":tru}', '{"a":truee}', '{"a":True}', '{"a":nul}', '{"a":None}',
    '{"a":1 "b":2}', '{"a":1;"b":2}', '{"a":"x""b":1}', '// x', '{"a":1 /* x */}', '# x', '[', ']', 'null', 'true', '1', '"x"', '[1]', 'x', '\u00a0{"a":1}', '{\u00a0"a":1}',
    '{"a":"\u00a0"}', '{"a":"tab\there"}', '{"a":"nul\u0000here"}', '{"a":"del\u007fhere"}', '{"a":"\U0001f642"}', '{"":1}', '{"a":"' + "y" * 5000 + '"}', '{"a":' + "9" * 900 + '}',
    '{"a":' + "[" * 999 + "]" * 999 + '}', '{"a":' + "[" * 1000 + "]" * 1000 + '}', '{"a":' + '{"x":' * 999 + "1" + "}" * 999 + '}', '{"a":"x","b":oops}', '{"a":{"x":oops},"b":1}',
]
JSONS = [
    '{"a":1,"b":"x","c":null,"d":true,"e":[1,2,{"f":"g"}],"h":{"i":{"j":"k"}}}', '{"a":{"b":null}}', '[1,"x",null,true,[2,3],{"a":"b"}]', '{"a":"","b":" x "}',
    '{"a":1,"a":2}', '{"a":null,"a":2}', '{"a":{"x":1},"a":{"y":2}}', '{"a.b":1,"a":{"b":2}}', '{"a b":1,"a-b":2,"a\'b":3,"é":4,"":5}', ' { "a" : [ 1 , { "b" : "c" } ] } ',
    r'{"a":"\u00e9\n\t\"\\\/","b":{"c":"\u00e9\n\t\"\\\/\u0001\u007f"}}', r'{"a":"\ud83d\ude42","b":["\ud83d\ude42"]}', '{"a":12345678901234567890,"b":-0,"c":9007199254740993}',
    '{"a":"x"} trailing', '{"a":"x"}{"a":"y"}', '{"a":"x","b":oops}', '{"b":oops,"a":"x"}', '{"a":"x"', '{"a":{"b":1}', '{"a":"x', '', ' ', 'null', '"text"', '12', 'true', 'oops', "{'a':'x'}",
    '{"a":NaN}', '{"a":"tab\there","b":["tab\there"]}', '{"A":1}', '[]', '{}', '[[1,2],[3,4]]', '[{"a":1},{"a":2}]', '{"a":[]}', '{"a":{}}', '{"0":"zero","a":["zero"]}', '{"a":"<&>\u2028"}',
    r'{"\u0061":1}', '{"a":[null]}', '{"a":"{\\"b\\":1}"}', '{"a":{"b":"x","c":[true,false,null]}}', '{"$":1,"*":2}',
]
PATHS = [
    "$", "$.a", "$.b", "$.c", "$.d", "$.e", "$.A", "$.a.b", "$.b.c", "$['a']", "$['a.b']", "$['a b']", "$.a b", "$.a-b", "$.é", "$['']", "$.e[0]", "$.e[2].f", "$.e[9]", "$.h.i", "$.h.i.j",
    "$[0]", "$[1]", "$[2]", "$[4]", "$[4][1]", "$[5].a", "$[0][1]", "$[0].a", "$.a[0]", "$.a[1].b", "$.a.x", "$.a.y", "$.0", "$['$']", "$.$", "$.a.c", "$.a.c[1]", "$.b[0]", "$[00]",
    "$['a']['b']", "$['a'].b", "$.a['b']",
]
ODD_PATHS = ["", "a", "$a", ".a", "$.", "$..a", "$[", "$[]", "$[a]", "$[-1]", "$['a", "$[\"a\"]", "$.a.", " $.a", "$ .a", "$. a", "$.a ", "$[ 0 ]", "$.a[", "$.a]", "$['a'b]", "$[0]a",
             "$.a\tb", "$.a?b", "$['a?']", "$[99999999999]", "$[2147483648]", "$.a'b", "$['a'b']", "$.*", "$[*]", "$.a[*]", "$['*']", "$.a.*", "$$"]
FLOATS = ['{"a":1.10}', '{"a":1e5}', '{"a":12345678901234567890.123}', '{"a":{"b":1.50}}']


def write(name, rows):
    with open(HERE / name, "w", encoding="utf-8", newline="\n") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=True) + "\n")


def mutated(rng, text):
    chars = list(text)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(chars) + 1)
        kind = rng.randrange(3)
        if kind == 0 and at < len(chars):
            del chars[at]
        elif kind == 1 and at < len(chars):
            chars[at] = rng.choice('{}[]",:\\ 019.eE-+tfnu\'')
        else:
            chars.insert(at, rng.choice('{}[]",:\\ 019.eE-+tfnu\''))
    return "".join(chars)


def main():
    rng = random.Random(7)
    seeds = ['{"a":"x\\n","b":-1.5e+3}', '{"a":{"k":[1,true,null,"s"]},"b":"y"}', "{'a':'q','b':[0,10,-2.5]}", '{"b":NaN,"a":"\\u0041"}']
    lines = LINES + [line for line in (mutated(rng, rng.choice(seeds)) for _ in range(1500)) if line.strip()]
    spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.sql.session.timeZone", "UTC")
             .config("spark.sql.codegen.wholeStage", "false").getOrCreate())
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "lines.json"
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="\n")
        frame = spark.read.schema("a string, b string, _corrupt_record string").json(str(path)).coalesce(1)
        rows = frame.collect()
    assert len(rows) == len(lines), (len(rows), len(lines))
    write("reader.ndjson", ({"line": line, "is_corrupt": r._corrupt_record is not None, "a": r.a, "b": r.b} for line, r in zip(lines, rows)))
    pairs = [(j, p) for j in JSONS for p in PATHS] + [(j, p) for j in JSONS[:6] + [JSONS[-1]] for p in ODD_PATHS] + [(j, p) for j in FLOATS for p in ["$", "$.a"]]
    texts = ['{"a":{"b":"x\\n","c":[1,"2",{"d":null}]},"b":"y"}', '{"a":["x",{"b":12}],"b":{"c":""}}']
    pairs += [(mutated(rng, rng.choice(texts)), rng.choice(["$.a", "$.a.b", "$.a[1].b", "$.b", "$.b.c", "$.a.c[2].d"])) for _ in range(800)]
    found = []
    by_path = {}
    for j, p in pairs:
        by_path.setdefault(p, []).append(j)
    for p, jsons in by_path.items():
        frame = spark.createDataFrame([(i, j) for i, j in enumerate(jsons)], "i int, j string").coalesce(1)
        escaped = p.replace("\\", "\\\\").replace("'", "\\'")
        for r in frame.selectExpr("i", "j", f"get_json_object(j, '{escaped}') v").orderBy("i").collect():
            found.append({"json": r.j, "path": p, "value": r.v})
    write("get_json_object.ndjson", found)
    spark.stop()


main()
