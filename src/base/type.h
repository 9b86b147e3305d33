/** SQL's primitive types, in Spark's names. */
#ifndef BASE_TYPE_H
#define BASE_TYPE_H

#include "base/str.h"

enum type_kind {
    TYPE_NONE, /* not a primitive, or not known */
    TYPE_STRING,
    TYPE_BOOLEAN,
    TYPE_TINYINT,
    TYPE_SMALLINT,
    TYPE_INT,
    TYPE_BIGINT,
    TYPE_FLOAT,
    TYPE_DOUBLE,
    TYPE_DECIMAL,
    TYPE_DATE,
    TYPE_TIMESTAMP,     /* an instant */
    TYPE_TIMESTAMP_NTZ, /* a wall time */
    TYPE_BINARY,
};

/** precision 1..38 and scale 0..precision only for TYPE_DECIMAL, else 0. */
struct type {
    enum type_kind kind;
    int precision, scale;
};

/** Spark SQL's names and their usual synonyms, case ignored: string, varchar(n), char(n), text; boolean, bool; tinyint,
 * byte; smallint, short; int, integer; bigint, long; float, real; double; decimal, dec, numeric with (p), (p,s) or none
 * = (10,0); date; timestamp, timestamp_ltz; timestamp_ntz; binary. False if it is none of them. */
bool type_parse(struct str text, struct type *out);
/** As Spark's catalog prints it: `decimal(18,2)`, `bigint`, `timestamp_ntz`. */
void type_print(struct buf *out, struct type type);
/** As a Delta schema writes it: `long`, `integer`, `short`, `byte`, `decimal(18,2)`. */
void type_print_delta(struct buf *out, struct type type);
/** The name in a Delta schema, read. False for nested types and unknown names. */
bool type_parse_delta(struct str text, struct type *out);
/** The embedded engine's name: `VARCHAR`, `TIMESTAMPTZ`, `DECIMAL(18,2)`. */
void type_print_engine(struct buf *out, struct type type);

bool type_eq(struct type a, struct type b);
bool type_is_integer(struct type type);
bool type_is_number(struct type type); /* integers, decimal, float, double */

#endif
