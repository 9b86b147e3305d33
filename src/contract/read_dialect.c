/*
 * How the bytes of a CSV file are cut into rows and values: the dialect of assaySource, and how its numbers are
 * written.
 *
 * 1. What cannot be read as it is written here is an error of the contract, before any file is opened.
 * 2. Marks that could be taken for each other are refused: delimiter, quote, escape, comment; decimal and thousands
 * separator.
 * Source of the settings and their defaults: Spark's CSV reader where it has them, with `"` as the escape.
 */
#include "contract/reader.h"

#include "base/encoding.h"

enum {
    DEFAULT_RECORD_BYTES = 1024 * 1024,
    MAX_MARK_BYTES = 32,   /* of a delimiter or comment */
    MAX_TOP = 1000000,     /* lines above */
    MAX_BOTTOM = 1000,     /* lines below: they are held in memory until the end of the file is seen */
    MAX_NULL_MARKERS = 100 /* every value is compared with each */
};

static bool has_line_end(struct str text) {
    return str_find_char(text, '\n') != SIZE_MAX || str_find_char(text, '\r') != SIZE_MAX;
}

static bool is_tab_in_words(struct str text) { return str_eq(text, STR("\\t")) || str_eq_nocase(text, STR("tab")); }

/* One ASCII character that is no line end, or nothing where that has a meaning. */
static struct str read_character(struct reader *r, const struct yaml_node *source, const char *key,
                                 struct str otherwise, bool may_be_empty) {
    const struct yaml_node *node = scalar_of(source, key);
    if (!node) return otherwise;
    struct str text = node->text;
    bool is_fit = text.len == 1 && (unsigned char)text.ptr[0] < 0x80 && !has_line_end(text) && text.ptr[0] != '\0';
    if (is_fit || (may_be_empty && text.len == 0)) return text;
    report_error(r, mark_node(r, node), "bad-character",
                 may_be_empty ? STR("write '' if values are never quoted") : (struct str){0},
                 "%s is '%.*s'; expected one ASCII character", key, STR_ARG(shown(r, text)));
    return otherwise;
}

/* A text that stands in a line. */
static struct str read_mark(struct reader *r, const struct yaml_node *source, const char *key, const char *otherwise) {
    const struct yaml_node *node = scalar_of(source, key);
    if (!node) return str_of(otherwise);
    bool is_tab = is_tab_in_words(node->text);
    if (node->text.len && node->text.len <= MAX_MARK_BYTES && !has_line_end(node->text) && !is_tab &&
        str_find_char(node->text, '\0') == SIZE_MAX)
        return node->text;
    report_error(r, mark_node(r, node), "bad-character",
                 is_tab ? STR("write a tab as \"\\t\", in double quotes") : (struct str){0},
                 "%s is '%.*s'; expected 1 to %d bytes without a line end", key, STR_ARG(shown(r, node->text)),
                 MAX_MARK_BYTES);
    return str_of(otherwise);
}

static bool has_any(struct str text, struct str characters) {
    for (size_t i = 0; i < characters.len; i++)
        if (str_find_char(text, characters.ptr[i]) != SIZE_MAX) return true;
    return false;
}

static void read_marks(struct reader *r, const struct yaml_node *source, struct contract_source *out) {
    out->delimiter = read_mark(r, source, "delimiter", ",");
    out->quote = read_character(r, source, "quote", STR("\""), true);
    out->escape = read_character(r, source, "escape", out->quote, false);
    out->comment = read_mark(r, source, "comment", "");
    if (has_any(out->delimiter, out->quote) || (out->quote.len && has_any(out->delimiter, out->escape)))
        report_error(r, mark_member(r, source, "delimiter"), "bad-character", (struct str){0},
                     "the delimiter has the quote or the escape in it");
    if (out->comment.len && (str_starts(out->comment, out->delimiter) ||
                             has_any(str_sub(out->comment, 0, 1), out->quote) || out->comment.ptr[0] <= ' '))
        report_error(r, mark_member(r, source, "comment"), "bad-character", (struct str){0},
                     "a comment cannot start with a blank, the delimiter or the quote: rows may start so");
    if (out->quote.len == 0 && scalar_of(source, "escape"))
        report_warning(r, mark_member(r, source, "escape"), "unused-setting", STR("take the line out"),
                       "'escape' says nothing where values are never quoted");
}

static int64_t read_count(struct reader *r, const struct yaml_node *source, const char *key, int64_t otherwise,
                          int64_t least, int64_t most) {
    const struct yaml_node *node = scalar_of(source, key);
    int64_t count = otherwise;
    if (!node || !yaml_int(node, &count) || (count >= least && count <= most)) return count;
    report_error(r, mark_node(r, node), "out-of-range", (struct str){0}, "%s has to be %lld to %lld", key,
                 (long long)least, (long long)most);
    return otherwise;
}

static void read_encoding(struct reader *r, const struct yaml_node *source, struct contract_source *out) {
    const struct yaml_node *node = scalar_of(source, "encoding");
    out->encoding = STR("UTF-8");
    if (!node) return;
    const struct encoding *found = encoding_find(node->text);
    if (found) {
        out->encoding = found->name;
        return;
    }
    struct str nearest = encoding_nearest(node->text);
    struct buf names = {0};
    encoding_names(&names);
    struct str help = nearest.len ? str_printf(r->arena, "did you mean '%.*s'?", STR_ARG(nearest))
                                  : str_printf(r->arena, "one of: %s", names.data);
    buf_free(&names);
    report_error(r, mark_node(r, node), "unknown-encoding", help, "'%.*s' is no encoding that files can be read in",
                 STR_ARG(shown(r, node->text)));
}

static void read_null_markers(struct reader *r, const struct yaml_node *source, struct contract_source *out) {
    const struct yaml_node *list = list_of(source, "nullMarkers");
    if (!list) return;
    if (list->count > MAX_NULL_MARKERS)
        report_error(r, mark_node(r, list), "out-of-range", (struct str){0},
                     "%zu null markers; at most %d are looked for", list->count, MAX_NULL_MARKERS);
    out->null_markers = ARENA_ARRAY(r->arena, list->count, struct str);
    for (size_t i = 0; i < list->count && i < MAX_NULL_MARKERS; i++)
        if (list->items[i]->kind == YAML_SCALAR && !yaml_is_null(list->items[i]))
            out->null_markers[out->null_marker_count++] = list->items[i]->text;
        else if (list->items[i]->kind == YAML_SCALAR)
            report_error(r, mark_node(r, list->items[i]), "wrong-kind", STR("write the text in quotes, such as 'null'"),
                         "without quotes this is YAML's null, not the text of a value");
}

/* One character, of any language, that no number has otherwise. */
static struct str read_separator(struct reader *r, const struct yaml_node *source, const char *key) {
    const struct yaml_node *node = scalar_of(source, key);
    if (!node) return (struct str){0};
    struct str text = node->text;
    bool is_one = str_utf8_error(text) == SIZE_MAX && str_utf8_count(text) == 1;
    bool is_letter =
        is_one && ((text.ptr[0] >= '0' && text.ptr[0] <= '9') || (text.ptr[0] >= 'A' && text.ptr[0] <= 'Z') ||
                   (text.ptr[0] >= 'a' && text.ptr[0] <= 'z') || text.ptr[0] == '+' || text.ptr[0] == '-');
    if (is_one && !is_letter && !has_line_end(text)) return text;
    report_error(r, mark_node(r, node), "bad-character", (struct str){0},
                 "%s is '%.*s'; expected one character that is no letter, digit or sign", key, STR_ARG(shown(r, text)));
    return (struct str){0};
}

static void read_separators(struct reader *r, const struct yaml_node *source, struct contract_source *out) {
    out->decimal_separator = read_separator(r, source, "decimalSeparator");
    out->thousands_separator = read_separator(r, source, "thousandsSeparator");
    struct str point = out->decimal_separator.len ? out->decimal_separator : STR(".");
    if (out->thousands_separator.len && str_eq(out->thousands_separator, point))
        report_error(r, mark_member(r, source, "thousandsSeparator"), "bad-character",
                     STR("say the decimalSeparator too, such as ','"), "'%.*s' would separate thousands and decimals",
                     STR_ARG(point));
    if (str_eq(out->decimal_separator, STR("."))) out->decimal_separator = (struct str){0}; /* as without it */
}

void read_dialect(struct reader *r, const struct yaml_node *source, struct contract_source *out) {
    read_marks(r, source, out);
    out->is_multi_line = flag_of(source, "multiLine", false);
    out->max_record_bytes = read_count(r, source, "maxRecordBytes", DEFAULT_RECORD_BYTES, 1, INT64_MAX);
    out->skip_top = read_count(r, source, "skipTop", 0, 0, MAX_TOP);
    out->skip_bottom = read_count(r, source, "skipBottom", 0, 0, MAX_BOTTOM);
    if (out->is_multi_line && out->quote.len == 0)
        report_warning(r, mark_member(r, source, "multiLine"), "unused-setting", STR("take the line out"),
                       "'multiLine' says nothing where values are never quoted");
    read_encoding(r, source, out);
    read_null_markers(r, source, out);
    read_separators(r, source, out);
}
