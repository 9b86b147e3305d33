/**
 * The rule language: a piece of Spark SQL's expressions, parsed into a tree, checked against columns, printed as Spark
 * SQL or as the embedded engine's SQL with the same meaning. No rule text reaches an engine unparsed.
 *
 * Language: literals (numbers, 'text' with Spark's backslash escapes or doubled quotes, r'raw text', TRUE, FALSE, NULL,
 * DATE '..', TIMESTAMP '..'), columns (name or `na me`), + - * / %, || , = == <> != < <= > >= <=>, [NOT] IN (..), [NOT]
 * BETWEEN, [NOT] LIKE, [NOT] RLIKE, IS [NOT] NULL|TRUE|FALSE, AND OR NOT, CASE WHEN, CAST(x AS type), x::type, and
 * functions: trim btrim ltrim rtrim upper ucase lower lcase length char_length substring substr concat replace left
 * right abs round floor ceil coalesce nullif ifnull nvl if greatest least datediff date_add date_sub add_months
 * last_day year month day dayofmonth dayofweek hour minute second to_date(no format) current_date current_timestamp
 * regexp_like get_json_object isnull isnotnull isnan. Precedence and meaning are Spark 3.5's with ANSI off: a string
 * beside a number is cast (try_cast), text is compared by bytes, NaN equals NaN and is the largest, x / 0 is NULL,
 * whole numbers wrap around. What the engine cannot do equally is refused by expr_check.
 */
#ifndef EXPR_EXPR_H
#define EXPR_EXPR_H

#include "base/type.h"

enum expr_kind {
    EXPR_NULL,
    EXPR_BOOL,      /* text "true" or "false" */
    EXPR_NUMBER,    /* text as written; type int, bigint, decimal or double as Spark types it */
    EXPR_TEXT,      /* text is the value */
    EXPR_DATE,      /* DATE '...': text as written, valid */
    EXPR_TIMESTAMP, /* TIMESTAMP '...' */
    EXPR_COLUMN,    /* text is the name */
    EXPR_OPERATOR,  /* op; one or two arguments */
    EXPR_IN,        /* args[0] in args[1..] */
    EXPR_BETWEEN,   /* args[0] between args[1] and args[2] */
    EXPR_CASE,      /* when, then, when, then, ..., else? (odd count) */
    EXPR_CAST,      /* args[0] as type */
    EXPR_CALL,      /* text is the function's name, lower case */
};

enum expr_op {
    /* one argument */
    EXPR_NOT,
    EXPR_NEGATE,
    EXPR_IS_NULL,
    EXPR_IS_NOT_NULL,
    EXPR_IS_TRUE,
    EXPR_IS_NOT_TRUE,
    EXPR_IS_FALSE,
    EXPR_IS_NOT_FALSE,
    /* two */
    EXPR_AND,
    EXPR_OR,
    EXPR_EQ,
    EXPR_NE,
    EXPR_LT,
    EXPR_LE,
    EXPR_GT,
    EXPR_GE,
    EXPR_NULL_SAFE_EQ,
    EXPR_LIKE,
    EXPR_RLIKE,
    EXPR_ADD,
    EXPR_SUBTRACT,
    EXPR_MULTIPLY,
    EXPR_DIVIDE,
    EXPR_MODULO,
    EXPR_CONCAT,
};

struct expr {
    enum expr_kind kind;
    enum expr_op op;
    bool is_negated; /* NOT IN, NOT BETWEEN, NOT LIKE, NOT RLIKE */
    struct str text;
    struct expr **args;
    size_t count;
    struct type type; /* after expr_check; kind NONE for a bare NULL */
    size_t offset;    /* byte in the text it was parsed from */
    unsigned height;  /* of the tree below; 1 for a leaf */
    unsigned size;    /* nodes of the tree, shared ones counted each time */
};

struct expr_column {
    struct str name;
    struct type type;
};

/** The tree borrows nothing of text.
 * @return OK; INVALID with where = "column N" (byte from 1 in text), and what was expected; LIMIT too deep or too long
 */
enum assay_code expr_parse(struct str text, struct arena *arena, struct expr **out, struct assay_error *err) NODISCARD;

/** Resolve columns (case ignored; the tree then has the name as the column spells it) and type every node.
 * @return OK; INVALID unknown column or function (with the nearest name), wrong number or type of arguments; where as
 * expr_parse */
enum assay_code expr_check(struct expr *e, const struct expr_column *columns, size_t count, struct arena *arena,
                           struct assay_error *err) NODISCARD;
/** expr_check, and the result must be boolean. */
enum assay_code expr_check_predicate(struct expr *e, const struct expr_column *columns, size_t count,
                                     struct arena *arena, struct assay_error *err) NODISCARD;

/** Spark SQL; parsing it again gives an equal tree. Names are back-quoted only where they must be. */
void expr_print_spark(struct buf *out, const struct expr *e);
/** The engine's SQL of a checked tree, with equal results. Columns print as "name", or prefix."name" when prefix is not
 * empty. Uses the functions that engine/engine.h registers (spark_trim, spark_upper, spark_lower, java_regexp_find,
 * spark_date, ...). */
void expr_print_engine(struct buf *out, const struct expr *e, struct str prefix);

/** The decimal types whose spark_decimal_<p>_<s> that text calls: make them exist (engine_need_decimal) before it runs.
 */
void expr_decimals(const struct expr *e, struct arena *arena, struct type **out, size_t *count);

/** Whether trees are equal apart from offsets and types. */
bool expr_eq(const struct expr *a, const struct expr *b);
/** Names of the columns it uses, each once, in order of first use. */
void expr_columns(const struct expr *e, struct arena *arena, struct str **out, size_t *count);

/* Building trees. Results and arguments live in the arena; unchecked until expr_check. */
struct expr *expr_column(struct arena *arena, struct str name);
struct expr *expr_text(struct arena *arena, struct str value);
struct expr *expr_number(struct arena *arena, struct str digits);
struct expr *expr_literal(struct arena *arena, enum expr_kind kind,
                          struct str text); /* EXPR_DATE, EXPR_TIMESTAMP, EXPR_BOOL, EXPR_NULL */
struct expr *expr_unary(struct arena *arena, enum expr_op op, struct expr *a);
struct expr *expr_binary(struct arena *arena, enum expr_op op, struct expr *a, struct expr *b);
struct expr *expr_cast(struct arena *arena, struct expr *a, struct type type);
struct expr *expr_call(struct arena *arena, struct str function, struct expr **args, size_t count);
/** args[0] IN (args[1..]) */
struct expr *expr_in(struct arena *arena, struct expr **args, size_t count);

#endif
