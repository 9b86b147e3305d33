/*
 * `SELECT COUNT(*) FROM {object} WHERE NOT (<predicate>)`: the form of a SQL rule that speaks of single rows.
 *
 * 1. What follows WHERE is parsed by the rule language; the rule is over the row only if its root is NOT. So `NOT (a)
 * OR b` is not mistaken for `NOT (a OR b)`.
 * 2. {object} and ${table} are the table, also by its own names; {property} and ${column} the column of the rule.
 * 3. A query that starts like the form and cannot be parsed is a mistake; any other query is a check of the table,
 * which is not done yet.
 */
#include "contract/reader.h"

static struct str skip_blanks(struct str s) {
    while (s.len && (s.ptr[0] == ' ' || (s.ptr[0] >= '\t' && s.ptr[0] <= '\r'))) s = str_sub(s, 1, s.len);
    return s;
}

/* Take a word or mark off the front, blanks before it skipped. */
static bool take(struct str *rest, const char *word) {
    struct str w = str_of(word), s = skip_blanks(*rest);
    if (!str_eq_nocase(str_sub(s, 0, w.len), w)) return false;
    char last = w.ptr[w.len - 1], next = s.len > w.len ? s.ptr[w.len] : ' ';
    bool is_word = last >= 'A' && last <= 'Z';
    if (is_word && ((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') || next == '_')) return false;
    *rest = str_sub(s, w.len, s.len);
    return true;
}

static bool take_table(const struct reader *r, struct str *rest) {
    static const char *const marks[] = {"${object}", "{object}", "${table}", "{table}", "${schema}.${table}"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (take(rest, marks[i])) return true;
    struct str s = skip_blanks(*rest);
    size_t end = 0;
    while (end < s.len && s.ptr[end] > ' ') end++;
    struct str name = str_sub(s, 0, end);
    *rest = str_sub(s, end, s.len);
    return str_eq_nocase(name, r->table_name) || str_eq_nocase(name, r->contract->table);
}

/* The part after WHERE, or false if the query is another. */
static bool split_query(const struct reader *r, struct str query, struct str *condition) {
    struct str rest = query;
    bool is_form = take(&rest, "SELECT") && take(&rest, "COUNT") && take(&rest, "(") && take(&rest, "*") &&
                   take(&rest, ")") && take(&rest, "FROM") && take_table(r, &rest) && take(&rest, "WHERE");
    if (!is_form) return false;
    rest = skip_blanks(rest);
    struct str end = str_trim(rest);
    while (end.len && (end.ptr[end.len - 1] == ';' || end.ptr[end.len - 1] == ' ')) end.len--;
    *condition = str_sub(rest, 0, end.len);
    return true;
}

/* The condition with the column's name for {property}; each byte's offset in the query. */
static struct str put_column(const struct reader *r, struct str query, struct str condition, size_t column,
                             uint32_t **origin) {
    static const char *const marks[] = {"${property}", "{property}", "${column}", "{column}"};
    struct buf out = {0};
    size_t start = (size_t)(condition.ptr - query.ptr), capacity = 0;
    uint32_t *from = NULL;
    struct str name = column == SIZE_MAX ? (struct str){0}
                                         : str_printf(r->arena, "`%.*s`", STR_ARG(r->contract->columns[column].name));
    for (size_t at = 0; at < condition.len;) {
        struct str piece = str_sub(condition, at, at + 1);
        size_t skip = 1;
        for (size_t i = 0; name.len && i < sizeof marks / sizeof marks[0]; i++) {
            if (!str_starts(str_sub(condition, at, condition.len), str_of(marks[i]))) continue;
            piece = name;
            skip = str_of(marks[i]).len;
            break;
        }
        for (size_t i = 0, count = out.len; i < piece.len; i++)
            LIST_PUSH(r->arena, from, count, capacity) = (uint32_t)(start + at);
        buf_add(&out, piece);
        at += skip;
    }
    size_t count = out.len;
    LIST_PUSH(r->arena, from, count, capacity) = (uint32_t)(start + condition.len);
    struct str text = str_copy(r->arena, buf_str(&out));
    buf_free(&out);
    *origin = from;
    return text;
}

struct expr *read_predicate(struct reader *r, const struct yaml_node *scalar, struct str text, const uint32_t *origin) {
    struct expr *e = NULL;
    struct assay_error err = {0};
    enum assay_code rc = expr_parse(text, r->arena, &e, &err);
    if (rc == ASSAY_OK) rc = expr_check_predicate(e, column_types(r), r->contract->column_count, r->arena, &err);
    if (rc == ASSAY_OK) return e;
    report_expr(r, scalar, text, origin, &err);
    return NULL;
}

enum row_query read_row_query(struct reader *r, const struct yaml_node *scalar, size_t column, bool as_condition,
                              struct expr **out) {
    struct str condition;
    if (!split_query(r, scalar->text, &condition)) return ROW_QUERY_NOT_ONE;
    uint32_t *origin;
    struct str text = put_column(r, scalar->text, condition, column, &origin), rest = text;
    if (!as_condition && !take(&rest, "NOT")) return ROW_QUERY_NOT_ONE;
    struct expr *e = read_predicate(r, scalar, text, origin);
    if (!e) return ROW_QUERY_BROKEN;
    if (as_condition) {
        *out = e;
        return ROW_QUERY_PREDICATE;
    }
    if (e->kind != EXPR_OPERATOR || e->op != EXPR_NOT) return ROW_QUERY_NOT_ONE;
    *out = e->args[0];
    return ROW_QUERY_PREDICATE;
}
