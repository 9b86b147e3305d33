/** Inside of the rule language: tokens, literals, how arguments are cast, the table of functions. Nobody else includes
 * it. */
#ifndef EXPR_EXPR_INT_H
#define EXPR_EXPR_INT_H

#include "expr/expr.h"

/** Set INVALID at a byte of the text (where = "column N"). */
enum assay_code fail_at(struct assay_error *err, size_t offset, const char *format, ...) PRINTF_LIKE(3, 4);

/* ---- tokens (token.c) ---- */

enum token_kind {
    TOKEN_END,
    TOKEN_WORD,   /* a bare name or keyword; text as written */
    TOKEN_NAME,   /* a name in back quotes; text is the name */
    TOKEN_NUMBER, /* text as written */
    TOKEN_STRING, /* text is the value */
    TOKEN_SYMBOL, /* text is the symbol */
};

struct token {
    enum token_kind kind;
    struct str text;
    size_t offset;
};

/** All tokens of a text, ended by one of kind END. Texts that are no views of it live in the arena. */
enum assay_code tokens_of(struct str text, struct arena *arena, struct token **out, struct assay_error *err) NODISCARD;

/** The text as a literal that Spark 3.5 reads back as it is. */
void spark_text_print(struct buf *out, struct str text);
/** The name, in back quotes only where Spark or our own parser would read something else. */
void spark_name_print(struct buf *out, struct str name);

/** A node of BETWEEN or CASE (build.c). */
struct expr *expr_many(struct arena *arena, enum expr_kind kind, struct expr **args, size_t count);

/* ---- literals (literal.c) ---- */

/** The type Spark gives a number as written, with the minus in front of it; NULL, or what is wrong with it. */
const char *literal_number_type(struct str text, bool is_negative, struct type *out);
/** Its digits without the suffix that names a type. */
struct str literal_number_digits(struct str text);
/** `yyyy-m-d`. */
bool literal_date(struct str text, int64_t *days);
/** `yyyy-m-d` and perhaps `h:m[:s[.f]]` and a zone `Z`, `UTC` or `+hh:mm`; microseconds. */
bool literal_timestamp(struct str text, int64_t *us);
/** Whether e is a number, perhaps with a minus; *text and *is_negative say which. */
bool literal_number(const struct expr *e, struct str *text, bool *is_negative);

/* ---- types (typing.c): Spark 3.5's type coercion, ANSI off. ---- */

/** What a node makes of two arguments: the types they are cast to, and the type of the result. */
struct typing {
    struct type left, right, result;
};

/** The type in which two values are compared; false if Spark would not compare them, or we do not. */
bool typing_compare(const struct expr *a, const struct expr *b, struct type *out);
/** + - * / %. NULL, or why not. */
const char *typing_arithmetic(enum expr_op op, const struct expr *a, const struct expr *b, struct typing *out);
/** The common type of values (IN, CASE, coalesce): with has_text a string beside another value makes all strings. */
bool typing_common(struct expr *const *values, size_t count, size_t step, bool has_text, struct type *out);
/** A decimal of these digits cut to 38 as Spark's adjustPrecisionScale does. */
struct type typing_decimal(int precision, int scale);
/** Digits before the point and after it that every value of a whole number's type fits in. */
struct type typing_decimal_of(struct type type);

/** The engine's SQL that casts `$1` from one type to another as Spark does; false if there is none. See print_template.
 */
bool cast_template(struct type from, struct type to, struct buf *out);
/** The SQL of a whole number of any size brought into the type's range by dropping its high bits, as Java does it. */
void wrap_template(struct type type, const char *number, struct buf *out);

/* ---- functions (function.c) ---- */

/** What an argument is cast to. */
enum parameter {
    PARAMETER_NONE,
    PARAMETER_ANY,       /* nothing */
    PARAMETER_TEXT,      /* string */
    PARAMETER_COUNT,     /* int; wider numbers and texts are refused */
    PARAMETER_SCALE,     /* a whole number written out */
    PARAMETER_PATTERN,   /* a text written out, a Java pattern */
    PARAMETER_PATH,      /* a text written out, a path into JSON */
    PARAMETER_NUMBER,    /* numbers stay, strings are doubles */
    PARAMETER_DOUBLE,    /* double */
    PARAMETER_BOOLEAN,   /* nothing but a boolean */
    PARAMETER_DATE,      /* date */
    PARAMETER_TIMESTAMP, /* timestamp; one without a zone stays */
    PARAMETER_COMMON,    /* the common type of all such arguments; strings win */
    PARAMETER_ORDERED,   /* the common type of all such arguments; strings only beside strings */
};

enum result {
    RESULT_BOOLEAN,
    RESULT_INT,
    RESULT_TEXT,
    RESULT_DATE,
    RESULT_TIMESTAMP,
    RESULT_FIRST,  /* the type the first argument is cast to */
    RESULT_COMMON, /* the common type */
    RESULT_ROUND,  /* of round */
    RESULT_WHOLE,  /* of floor and ceil */
};

struct printer;

enum { ARGUMENTS_MANY = 255 };

struct function {
    const char *name;
    unsigned char arguments_min, arguments_max; /* ARGUMENTS_MANY: no limit */
    enum parameter parameters[3];               /* the last one goes for all that follow */
    enum result result;
    const char *sql; /* see print_template; NULL: print does it */
    void (*print)(struct printer *p, const struct expr *call);
};

/** NULL if there is no function of that name that takes so many arguments. */
const struct function *function_find(struct str name, size_t arguments);
/** Whether there is one with other numbers of arguments; then *min and *max of all. */
bool function_exists(struct str name, size_t *min, size_t *max);
/** The name nearest to a wrong one, or empty. */
struct str function_nearest(struct str name);
enum parameter function_parameter(const struct function *f, size_t index);
/** The type an argument of a call is cast to; common is the type of those that share one. */
struct type parameter_type(enum parameter parameter, struct type from, struct type common);
/** The common type of the call's arguments that share one; false if they have none. NONE when no argument does. */
bool function_common(const struct function *f, const struct expr *call, struct type *out);

/* ---- printing for the engine (print_engine.c, print_call.c, print_arithmetic.c) ---- */

struct printer {
    struct buf *out;
    struct str prefix;
    unsigned names; /* given so far */
};

/** An expression as a value of a type. */
struct value {
    const struct expr *e;
    struct type as;
    unsigned name; /* not 0: the expression has been computed and is called so, as a value of the type named */
    struct type named;
};

static inline struct value value_of(const struct expr *e, struct type as) { return (struct value){.e = e, .as = as}; }

/**
 * SQL with `$1`..`$9` for values. A value that stands there more than once is computed once: unless it is a column or a
 * literal it becomes the parameter of a lambda around the whole.
 */
void print_template(struct printer *p, const char *sql, const struct value *values, size_t count);
/** Name an expression for what is printed up to print_named_end: {e, as, name, e->type} is a value of it. 0 when
 * printing it again costs nothing. */
unsigned print_named(struct printer *p, const struct expr *e);
void print_named_end(struct printer *p, unsigned name);
void print_as(struct printer *p, const struct expr *e, struct type as);
void print_text(struct printer *p, struct str text);

void print_arithmetic(struct printer *p, const struct expr *e);
void print_negate(struct printer *p, const struct expr *e);
/** SQL of an operation on two decimals `$1` and `$2`; false if it cannot be made equal. */
bool decimal_template(enum expr_op op, const struct typing *t, struct buf *out);
/** SQL of the date `$1` and so many days `$2` after (+) or before it (-). */
void days_template(char sign, struct buf *out);

void print_call(struct printer *p, const struct expr *call);
void call_substring(struct printer *p, const struct expr *call);
void call_round(struct printer *p, const struct expr *call);
void call_whole(struct printer *p, const struct expr *call);
void call_abs(struct printer *p, const struct expr *call);
void call_list(struct printer *p, const struct expr *call);
void call_concat(struct printer *p, const struct expr *call);
void call_nullif(struct printer *p, const struct expr *call);
void call_days(struct printer *p, const struct expr *call);
void call_days_between(struct printer *p, const struct expr *call);
void call_now(struct printer *p, const struct expr *call);

/** The decimal type whose spark_decimal_<p>_<s> the node itself calls; NONE if it calls none. */
struct type decimal_called(const struct expr *e);
/** round's second argument; 0 when there is none, -1 if it is no literal from 0 to 18. */
int round_scale(const struct expr *call);

#endif
