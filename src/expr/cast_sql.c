/*
 * Casts between types as SQL for the engine, equal to Spark 3.5's cast with ANSI off.
 *
 * 1. No value makes the statement fail: what Spark gives as NULL, and what makes Spark throw, is NULL.
 * 2. Narrowing whole numbers drops high bits; a fraction is cut towards zero and stops at the ends of int or bigint,
 * NaN is 0.
 * 3. A fraction goes to a decimal by its shortest digits, HALF_UP; a decimal goes to a fraction by its digits, so the
 * nearest is found.
 * 4. Not here, so refused: a float or double as text (Java 17's digits are its own), a decimal of more than six places
 * as text (Java writes some with an exponent), whole numbers as timestamps (Spark stops at the ends of time), anything
 * of binary.
 */
#include "expr/expr_int.h"

static const struct {
    enum type_kind kind;
    const char *name, *half, *size, *both;
} wholes[] = {
    {TYPE_TINYINT, "TINYINT", "128", "256", "384"},
    {TYPE_SMALLINT, "SMALLINT", "32768", "65536", "98304"},
    {TYPE_INT, "INTEGER", "2147483648", "4294967296", "6442450944"},
    {TYPE_BIGINT, "BIGINT", "9223372036854775808::HUGEINT", "18446744073709551616::HUGEINT",
     "27670116110564327424::HUGEINT"},
};

void wrap_template(struct type type, const char *number, struct buf *out) {
    for (size_t i = 0; i < sizeof wholes / sizeof wholes[0]; i++)
        if (wholes[i].kind == type.kind)
            buf_printf(out, "CAST((%s %% %s + %s) %% %s - %s AS %s)", number, wholes[i].size, wholes[i].both,
                       wholes[i].size, wholes[i].half, wholes[i].name);
}

static void simple(struct buf *out, const char *cast, struct type to) {
    buf_printf(out, "%s($1 AS ", cast);
    type_print_engine(out, to);
    buf_addc(out, ')');
}

/* A text with a fraction is a whole number to a cast, not to a try_cast, and the spark_ functions are try_casts: cut
 * it. */
#define BLANKS "[\\x00-\\x20\\x7f]*"
#define CUT_FRACTION(text) "regexp_replace(" text ", '^(" BLANKS "[+-]?)([0-9]*)\\.[0-9]*(" BLANKS ")$', '\\10\\2\\3')"

/** The engine's functions that read text. */
static void read_text(struct buf *out, const char *sql, struct type to) {
    buf_addz(out, "spark_");
    if (to.kind == TYPE_DECIMAL)
        buf_printf(out, "decimal_%d_%d", to.precision, to.scale);
    else
        type_print(out, to);
    buf_printf(out, "(%s)", sql);
}

static bool cast_boolean(struct type to, struct buf *out) {
    if (type_is_integer(to) || to.kind == TYPE_STRING)
        simple(out, "CAST", to);
    else if (type_is_number(to)) {
        buf_addz(out, "TRY_CAST(CAST($1 AS INTEGER) AS ");
        type_print_engine(out, to);
        buf_addc(out, ')');
    } else
        return false;
    return true;
}

static bool cast_whole(struct type from, struct type to, struct buf *out) {
    if (type_is_integer(to) && to.kind < from.kind)
        wrap_template(to, "CAST($1 AS BIGINT)", out);
    else if (to.kind == TYPE_BOOLEAN)
        buf_addz(out, "($1 <> 0)");
    else if (type_is_number(to) || to.kind == TYPE_STRING)
        simple(out, to.kind == TYPE_DECIMAL ? "TRY_CAST" : "CAST", to);
    else
        return false;
    return true;
}

/** A double to the nearest float; beyond the largest one Java has infinity. */
#define TO_FLOAT                                                                                                       \
    "CASE WHEN isnan($1) THEN CAST('NaN' AS FLOAT) WHEN $1 >= 3.4028235677973366e38 THEN CAST('Infinity' AS FLOAT) "   \
    "WHEN $1 <= -3.4028235677973366e38 THEN CAST('-Infinity' AS FLOAT) ELSE CAST($1 AS FLOAT) END"

static void cut_fraction(struct type to, struct buf *out) {
    bool is_long = to.kind == TYPE_BIGINT;
    struct buf whole = {0};
    const char *name = is_long ? "BIGINT" : "INTEGER";
    const char *top = is_long ? "9223372036854775807" : "2147483647",
               *limit = is_long ? "9223372036854775808" : "2147483648";
    buf_printf(&whole,
               "CASE WHEN isnan($1) THEN CAST(0 AS %s) WHEN $1 >= CAST('%s' AS DOUBLE) THEN CAST('%s' AS %s) "
               "WHEN $1 <= CAST('-%s' AS DOUBLE) THEN CAST('-%s' AS %s) ELSE CAST(trunc($1) AS %s) END",
               name, top, top, name, limit, limit, name, name);
    if (is_long || to.kind == TYPE_INT) {
        buf_add(out, buf_str(&whole));
    } else {
        struct buf wide = {0};
        buf_printf(&wide, "CAST(%s AS BIGINT)", whole.data);
        wrap_template(to, wide.data, out);
        buf_free(&wide);
    }
    buf_free(&whole);
}

static bool cast_fraction(struct type from, struct type to, struct buf *out) {
    if (to.kind == TYPE_DOUBLE)
        simple(out, "CAST", to);
    else if (to.kind == TYPE_FLOAT)
        buf_addz(out, TO_FLOAT);
    else if (to.kind == TYPE_DECIMAL)
        read_text(out, from.kind == TYPE_FLOAT ? "CAST(CAST($1 AS DOUBLE) AS VARCHAR)" : "CAST($1 AS VARCHAR)", to);
    else if (to.kind == TYPE_BOOLEAN)
        buf_addz(out, "($1 <> 0)");
    else if (type_is_integer(to))
        cut_fraction(to, out);
    else
        return false;
    return true;
}

/** Digits of a decimal that a double holds exactly, so that one division finds the nearest. */
enum { DIGITS_EXACT = 15, SCALE_PLAIN = 6 };

static bool cast_decimal(struct type from, struct type to, struct buf *out) {
    if (to.kind == TYPE_DECIMAL)
        simple(out, "TRY_CAST", to);
    else if (to.kind == TYPE_DOUBLE && from.precision <= DIGITS_EXACT)
        simple(out, "CAST", to);
    else if (to.kind == TYPE_DOUBLE || to.kind == TYPE_FLOAT)
        read_text(out, "CAST($1 AS VARCHAR)", to);
    else if (to.kind == TYPE_BOOLEAN)
        buf_addz(out, "($1 <> 0)");
    else if (to.kind == TYPE_STRING && from.scale <= SCALE_PLAIN)
        /* the engine writes .5 where no digit has room before the point */
        buf_printf(out, "CAST(CAST($1 AS DECIMAL(%d,%d)) AS VARCHAR)", from.precision + (from.precision == from.scale),
                   from.scale);
    else if (type_is_integer(to))
        wrap_template(
            to, from.precision - from.scale <= 18 ? "CAST(trunc($1) AS BIGINT)" : "CAST(trunc($1) AS HUGEINT)", out);
    else
        return false;
    return true;
}

/** Years of four digits as the engine writes them; others as Java does, with a sign and from year 0. */
static void moment_text(struct buf *out, const char *local, const char *format, const char *clock) {
    buf_printf(out,
               "CASE WHEN year($1) BETWEEN 1 AND 9999 THEN CAST(%s AS VARCHAR) ELSE printf('%%s%%04d', CASE WHEN "
               "year($1) > 9999 "
               "THEN '+' WHEN year($1) < 0 THEN '-' ELSE '' END, abs(year($1))) || strftime(%s, '%s')%s END",
               local, local, format, clock);
}

static bool cast_moment(struct type from, struct type to, struct buf *out) {
    bool is_date = from.kind == TYPE_DATE, is_instant = from.kind == TYPE_TIMESTAMP;
    const char *local = is_instant ? "CAST($1 AS TIMESTAMP)" : "$1";
    if (to.kind == TYPE_STRING && is_date)
        moment_text(out, "$1", "-%m-%d", "");
    else if (to.kind == TYPE_STRING && is_instant)
        moment_text(out, local, "-%m-%d ", " || CAST(CAST(CAST($1 AS TIMESTAMP) AS TIME) AS VARCHAR)");
    else if (to.kind == TYPE_STRING)
        moment_text(out, local, "-%m-%d ", " || CAST(CAST($1 AS TIME) AS VARCHAR)");
    else if (to.kind == TYPE_TIMESTAMP && is_date)
        buf_addz(out, "CAST(TRY_CAST($1 AS TIMESTAMP) AS TIMESTAMPTZ)");
    else if (to.kind == TYPE_TIMESTAMP_NTZ && is_date)
        buf_addz(out, "TRY_CAST($1 AS TIMESTAMP)");
    else if (to.kind == TYPE_DATE)
        buf_printf(out, "CAST(%s AS DATE)", local);
    else if (to.kind == TYPE_BIGINT && is_instant)
        buf_addz(out, "((epoch_us($1) - (epoch_us($1) % 1000000 + 1000000) % 1000000) // 1000000)");
    else if (to.kind == TYPE_TIMESTAMP || to.kind == TYPE_TIMESTAMP_NTZ)
        simple(out, "CAST", to);
    else
        return false;
    return true;
}

bool cast_template(struct type from, struct type to, struct buf *out) {
    if (from.kind == TYPE_NONE || type_eq(from, to)) {
        buf_addz(out, "$1");
        return true;
    }
    if (to.kind == TYPE_BINARY) return false;
    switch (from.kind) {
    case TYPE_STRING:
        read_text(out, type_is_integer(to) ? CUT_FRACTION("$1") : "$1", to);
        return to.kind != TYPE_NONE;
    case TYPE_BOOLEAN:
        return cast_boolean(to, out);
    case TYPE_TINYINT:
    case TYPE_SMALLINT:
    case TYPE_INT:
    case TYPE_BIGINT:
        return cast_whole(from, to, out);
    case TYPE_FLOAT:
    case TYPE_DOUBLE:
        return cast_fraction(from, to, out);
    case TYPE_DECIMAL:
        return cast_decimal(from, to, out);
    case TYPE_DATE:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_NTZ:
        return cast_moment(from, to, out);
    case TYPE_NONE:
    case TYPE_BINARY:
        break;
    }
    return false;
}
