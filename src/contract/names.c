/*
 * Names of tables and columns.
 *
 * 1. A table is `<schema>.<table>`, each of letters, digits, _ and -: it becomes a folder of the lake.
 * 2. Delta refuses a column with one of ` ,;{}()\n\t=` in its name unless the table maps columns, which assay's tables
 * do not.
 * 3. The names of columns that assay adds to its tables are taken, in any case.
 */
#include "contract/reader.h"

enum { COLUMN_NAME_BYTES = 255 };

static const struct str reserved[] = {
    {"_source_file", 12},      {"_source_line", 12},    {"_batch_id", 9},       {"_loaded_at", 10},
    {"_corrupt_record", 15},   {"_corrupt_bytes", 14},  {"_reject_reason", 14}, {"_reject_rules", 13},
    {"_contract_version", 17}, {"_quarantined_at", 15}, {"_assay_file", 11},    {"_assay_row", 10},
};

static bool is_table_part(struct str part) {
    for (size_t i = 0; i < part.len; i++) {
        char c = part.ptr[i];
        bool is_fit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                      c == '-' || (unsigned char)c >= 0x80;
        if (!is_fit) return false;
    }
    return part.len > 0 && part.ptr[0] != '_' && part.ptr[0] != '-' && str_utf8_error(part) == SIZE_MAX;
}

struct str table_name_read(struct reader *r, const struct yaml_node *node, struct str text, const char *schema) {
    struct str full = text;
    if (str_find_char(text, '.') == SIZE_MAX) full = str_printf(r->arena, "%s.%.*s", schema, STR_ARG(text));
    struct str head, table = str_split(full, '.', &head);
    if (!is_table_part(head) || !is_table_part(table)) {
        report_error(r, mark_node(r, node), "bad-table-name",
                     STR("use letters, digits, _ and -, such as silver.orders"),
                     "'%.*s' is no table name: expected <schema>.<table>", STR_ARG(shown(r, text)));
    } else if (str_eq_nocase(head, STR("assay"))) {
        report_error(r, mark_node(r, node), "reserved-name", STR("choose another schema"),
                     "the schema 'assay' is kept for assay's own tables");
    }
    return full;
}

void column_name_check(struct reader *r, struct mark at, struct str name, const char *what) {
    if (name.len == 0 || name.len > COLUMN_NAME_BYTES) {
        report_error(r, at, "bad-column-name", (struct str){0}, "%s has a name of %zu bytes; expected 1 to %d", what,
                     name.len, COLUMN_NAME_BYTES);
        return;
    }
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        if (c >= 0x20 && c != 0x7F && str_find_char(STR(" ,;{}()="), (char)c) == SIZE_MAX) continue;
        struct str help = STR("use letters, digits and _");
        if (c == ' ')
            report_error(r, at, "bad-column-name", help, "Delta takes no blank in the name of %s '%.*s'", what,
                         STR_ARG(shown(r, name)));
        else if (c < 0x20 || c == 0x7F)
            report_error(r, at, "bad-column-name", help, "the name of %s has a control character", what);
        else
            report_error(r, at, "bad-column-name", help, "Delta takes no '%c' in the name of %s '%.*s'", c, what,
                         STR_ARG(shown(r, name)));
        return;
    }
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        if (str_eq_nocase(name, reserved[i]))
            report_error(r, at, "reserved-name", STR("name it otherwise"), "'%.*s' is a column that assay adds itself",
                         STR_ARG(name));
}

size_t column_find(const struct contract *contract, struct str name) {
    for (size_t i = 0; i < contract->column_count; i++)
        if (str_eq_nocase(contract->columns[i].name, name)) return i;
    return SIZE_MAX;
}

struct str *column_names(const struct reader *r) {
    struct str *names = ARENA_ARRAY(r->arena, r->contract->column_count, struct str);
    for (size_t i = 0; i < r->contract->column_count; i++) names[i] = r->contract->columns[i].name;
    return names;
}

struct expr_column *column_types(const struct reader *r) {
    struct expr_column *columns = ARENA_ARRAY(r->arena, r->contract->column_count, struct expr_column);
    for (size_t i = 0; i < r->contract->column_count; i++)
        columns[i] = (struct expr_column){r->contract->columns[i].name, r->contract->columns[i].type};
    return columns;
}
