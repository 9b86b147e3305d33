/*
 * The functions of the language: one row a name and number of arguments says what the arguments are, what comes out,
 * and how the engine computes it. Checking and printing both follow this table; Spark's printing needs only the name.
 */
#include "expr/expr_int.h"

#define ANY PARAMETER_ANY
#define TEXT PARAMETER_TEXT
#define COUNT PARAMETER_COUNT
#define SCALE PARAMETER_SCALE
#define NUMBER PARAMETER_NUMBER
#define DATE PARAMETER_DATE
#define CLOCK PARAMETER_TIMESTAMP
#define COMMON PARAMETER_COMMON
#define ORDERED PARAMETER_ORDERED

#define CHARACTERS "CAST(length($1) AS INTEGER)"
/* not greatest(), which passes over NULL */
#define AT_LEAST_0 "CASE WHEN $2 < 0 THEN 0 ELSE $2 END"
#define PART(name) "CAST(" name "($1) AS INTEGER)"

/* sorted by name */
static const struct function functions[] = {
    {"abs", 1, 1, {NUMBER}, RESULT_FIRST, NULL, call_abs},
    {"add_months", 2, 2, {DATE, COUNT}, RESULT_DATE, "TRY(CAST($1 + to_months($2) AS DATE))", NULL},
    {"btrim", 1, 1, {TEXT}, RESULT_TEXT, "spark_trim($1)", NULL},
    {"ceil", 1, 1, {NUMBER}, RESULT_WHOLE, NULL, call_whole},
    {"ceiling", 1, 1, {NUMBER}, RESULT_WHOLE, NULL, call_whole},
    {"char_length", 1, 1, {TEXT}, RESULT_INT, CHARACTERS, NULL},
    {"character_length", 1, 1, {TEXT}, RESULT_INT, CHARACTERS, NULL},
    {"coalesce", 1, ARGUMENTS_MANY, {COMMON}, RESULT_COMMON, NULL, call_list},
    {"concat", 1, ARGUMENTS_MANY, {TEXT}, RESULT_TEXT, NULL, call_concat},
    {"current_date", 0, 0, {PARAMETER_NONE}, RESULT_DATE, NULL, call_now},
    {"current_timestamp", 0, 0, {PARAMETER_NONE}, RESULT_TIMESTAMP, NULL, call_now},
    {"date_add", 2, 2, {DATE, COUNT}, RESULT_DATE, NULL, call_days},
    {"date_sub", 2, 2, {DATE, COUNT}, RESULT_DATE, NULL, call_days},
    {"datediff", 2, 2, {DATE}, RESULT_INT, NULL, call_days_between},
    {"day", 1, 1, {DATE}, RESULT_INT, PART("day"), NULL},
    {"dayofmonth", 1, 1, {DATE}, RESULT_INT, PART("day"), NULL},
    {"dayofweek", 1, 1, {DATE}, RESULT_INT, "CAST(dayofweek($1) + 1 AS INTEGER)", NULL},
    {"floor", 1, 1, {NUMBER}, RESULT_WHOLE, NULL, call_whole},
    {"get_json_object", 2, 2, {TEXT, PARAMETER_PATH}, RESULT_TEXT, "spark_get_json_object($1, $2)", NULL},
    {"greatest", 2, ARGUMENTS_MANY, {ORDERED}, RESULT_COMMON, NULL, call_list},
    {"hour", 1, 1, {CLOCK}, RESULT_INT, PART("hour"), NULL},
    {"if", 3, 3, {PARAMETER_BOOLEAN, COMMON}, RESULT_COMMON, "CASE WHEN $1 THEN $2 ELSE $3 END", NULL},
    {"ifnull", 2, 2, {COMMON}, RESULT_COMMON, "coalesce($1, $2)", NULL},
    {"isnan", 1, 1, {PARAMETER_DOUBLE}, RESULT_BOOLEAN, "coalesce(isnan($1), false)", NULL},
    {"isnotnull", 1, 1, {ANY}, RESULT_BOOLEAN, "($1 IS NOT NULL)", NULL},
    {"isnull", 1, 1, {ANY}, RESULT_BOOLEAN, "($1 IS NULL)", NULL},
    {"last_day", 1, 1, {DATE}, RESULT_DATE, "TRY(last_day($1))", NULL},
    {"lcase", 1, 1, {TEXT}, RESULT_TEXT, "spark_lower($1)", NULL},
    {"least", 2, ARGUMENTS_MANY, {ORDERED}, RESULT_COMMON, NULL, call_list},
    {"left", 2, 2, {TEXT, COUNT}, RESULT_TEXT, "left($1, " AT_LEAST_0 ")", NULL},
    {"length", 1, 1, {TEXT}, RESULT_INT, CHARACTERS, NULL},
    {"lower", 1, 1, {TEXT}, RESULT_TEXT, "spark_lower($1)", NULL},
    {"ltrim", 1, 1, {TEXT}, RESULT_TEXT, "ltrim($1, ' ')", NULL},
    {"minute", 1, 1, {CLOCK}, RESULT_INT, PART("minute"), NULL},
    {"month", 1, 1, {DATE}, RESULT_INT, PART("month"), NULL},
    {"nullif", 2, 2, {ANY}, RESULT_FIRST, NULL, call_nullif},
    {"nvl", 2, 2, {COMMON}, RESULT_COMMON, "coalesce($1, $2)", NULL},
    {"regexp_like", 2, 2, {TEXT, PARAMETER_PATTERN}, RESULT_BOOLEAN, "java_regexp_find($1, $2)", NULL},
    {"replace", 2, 2, {TEXT}, RESULT_TEXT, "replace($1, $2, '')", NULL},
    {"replace", 3, 3, {TEXT}, RESULT_TEXT, "replace($1, $2, $3)", NULL},
    {"right", 2, 2, {TEXT, COUNT}, RESULT_TEXT, "right($1, " AT_LEAST_0 ")", NULL},
    {"round", 1, 2, {NUMBER, SCALE}, RESULT_ROUND, NULL, call_round},
    {"rtrim", 1, 1, {TEXT}, RESULT_TEXT, "rtrim($1, ' ')", NULL},
    {"second", 1, 1, {CLOCK}, RESULT_INT, PART("second"), NULL},
    {"substr", 2, 3, {TEXT, COUNT}, RESULT_TEXT, NULL, call_substring},
    {"substring", 2, 3, {TEXT, COUNT}, RESULT_TEXT, NULL, call_substring},
    {"to_date", 1, 1, {DATE}, RESULT_DATE, "$1", NULL},
    {"trim", 1, 1, {TEXT}, RESULT_TEXT, "spark_trim($1)", NULL},
    {"ucase", 1, 1, {TEXT}, RESULT_TEXT, "spark_upper($1)", NULL},
    {"upper", 1, 1, {TEXT}, RESULT_TEXT, "spark_upper($1)", NULL},
    {"year", 1, 1, {DATE}, RESULT_INT, PART("year"), NULL},
};

enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static bool takes(const struct function *f, size_t arguments) {
    return arguments >= f->arguments_min && (f->arguments_max == ARGUMENTS_MANY || arguments <= f->arguments_max);
}

const struct function *function_find(struct str name, size_t arguments) {
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (str_eq_nocase(name, str_of(functions[i].name)) && takes(&functions[i], arguments)) return &functions[i];
    return NULL;
}

bool function_exists(struct str name, size_t *min, size_t *max) {
    bool is_there = false;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        const struct function *f = &functions[i];
        if (!str_eq_nocase(name, str_of(f->name))) continue;
        if (!is_there) *min = f->arguments_min;
        *max = f->arguments_max;
        is_there = true;
    }
    return is_there;
}

struct str function_nearest(struct str name) {
    struct str names[FUNCTIONS];
    for (size_t i = 0; i < FUNCTIONS; i++) names[i] = str_of(functions[i].name);
    return str_nearest(name, names, FUNCTIONS);
}

enum parameter function_parameter(const struct function *f, size_t index) {
    enum parameter parameter = f->parameters[0];
    for (size_t i = 1; i <= index && i < 3 && f->parameters[i] != PARAMETER_NONE; i++) parameter = f->parameters[i];
    return parameter;
}

struct type parameter_type(enum parameter parameter, struct type from, struct type common) {
    bool is_local = from.kind == TYPE_TIMESTAMP_NTZ, is_text = from.kind == TYPE_STRING || from.kind == TYPE_NONE;
    switch (parameter) {
    case PARAMETER_TEXT:
    case PARAMETER_PATTERN:
    case PARAMETER_PATH:
        return (struct type){.kind = TYPE_STRING};
    case PARAMETER_COUNT:
    case PARAMETER_SCALE:
        return (struct type){.kind = TYPE_INT};
    case PARAMETER_NUMBER:
        return is_text ? (struct type){.kind = TYPE_DOUBLE} : from;
    case PARAMETER_DOUBLE:
        return (struct type){.kind = from.kind == TYPE_FLOAT ? TYPE_FLOAT : TYPE_DOUBLE};
    case PARAMETER_BOOLEAN:
        return (struct type){.kind = TYPE_BOOLEAN};
    case PARAMETER_DATE:
        return (struct type){.kind = TYPE_DATE};
    case PARAMETER_TIMESTAMP:
        return (struct type){.kind = is_local ? TYPE_TIMESTAMP_NTZ : TYPE_TIMESTAMP};
    case PARAMETER_COMMON:
    case PARAMETER_ORDERED:
        return common;
    case PARAMETER_NONE:
    case PARAMETER_ANY:
        break;
    }
    return from;
}

bool function_common(const struct function *f, const struct expr *call, struct type *out) {
    for (size_t i = 0; i < call->count; i++) {
        enum parameter parameter = function_parameter(f, i);
        if (parameter == PARAMETER_COMMON || parameter == PARAMETER_ORDERED)
            return typing_common(call->args + i, call->count - i, 1, parameter == PARAMETER_COMMON, out);
    }
    *out = (struct type){0};
    return true;
}
