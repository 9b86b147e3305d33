/*
 * Names, texts and file lists as SQL.
 *
 * 1. Nothing that comes in can end its quotes.
 * 2. A file is read by its exact name. DuckDB takes every path as a glob pattern; a class of one character, `[*]`,
 * stands for the character itself (it has no escape sign). A name that holds both a backslash and one of `* ? [` cannot
 * be said and is not found, because DuckDB cuts patterns, but not plain names, at backslashes.
 */
#include "engine/engine_int.h"

void engine_sql_name(struct buf *sql, struct str name) {
    buf_addc(sql, '"');
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] == '"') buf_addc(sql, '"');
        buf_addc(sql, name.ptr[i]);
    }
    buf_addc(sql, '"');
}

static void add_quoted(struct buf *sql, struct str text) {
    buf_addc(sql, '\'');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\'') buf_addc(sql, '\'');
        buf_addc(sql, text.ptr[i]);
    }
    buf_addc(sql, '\'');
}

void engine_sql_text(struct buf *sql, struct str text) {
    size_t nul = str_find_char(text, '\0');
    if (nul == SIZE_MAX) {
        add_quoted(sql, text);
        return;
    }
    buf_addc(sql, '(');
    for (; nul != SIZE_MAX; nul = str_find_char(text, '\0')) {
        add_quoted(sql, str_sub(text, 0, nul));
        buf_addz(sql, " || chr(0) || ");
        text = str_sub(text, nul + 1, text.len);
    }
    add_quoted(sql, text);
    buf_addc(sql, ')');
}

void sql_path(struct buf *sql, struct str path) {
    buf_addc(sql, '\'');
    for (size_t i = 0; i < path.len; i++) {
        char c = path.ptr[i];
        if (c == '*' || c == '?' || c == '[')
            buf_printf(sql, "[%c]", c);
        else if (c == '\'')
            buf_addz(sql, "''");
        else
            buf_addc(sql, c);
    }
    buf_addc(sql, '\'');
}

void engine_sql_paths(struct buf *sql, const struct str *paths, size_t count) {
    buf_addc(sql, '[');
    for (size_t i = 0; i < count; i++) {
        if (i) buf_addz(sql, ", ");
        sql_path(sql, paths[i]);
    }
    buf_addc(sql, ']');
}

void engine_sql_parquet(struct buf *sql, const struct str *paths, size_t count, const char *extra) {
    buf_addz(sql, "read_parquet(");
    engine_sql_paths(sql, paths, count);
    buf_addz(sql, ", hive_partitioning=false");
    if (extra && *extra) buf_printf(sql, ", %s", extra);
    buf_addc(sql, ')');
}
