/*
 * The `stats` of a file that assay writes (protocol: "Per-file Statistics"; columns and cuts as Spark's
 * StatisticsCollection).
 *
 * 1. Nothing is written that is not certainly true: a bound that cannot be said exactly or safely is left out.
 * 2. The first delta.dataSkippingNumIndexedCols leaf columns (32), or those of delta.dataSkippingStatsColumns. A struct
 * counts by its leaves and has no entry; an array or map has a null count. Partition columns have none; columns that
 * the table is clustered by always have. Entries are under the names that files have.
 * 3. Timestamps are cut down to milliseconds, in UTC. Numbers are the engine's digits, never through a double.
 * 4. A text is cut to 32 characters, a maximum then gets a character that is larger than the one cut off. A column with
 * one value in the whole file keeps it in full up to TEXT_WHOLE characters, so that a batch's files are known by their
 * stats whatever the length of its id.
 */
#include "delta/delta_int.h"

#include <string.h>

enum { COLUMNS_DEFAULT = 32, TEXT_CUT = 32, TEXT_LONGEST = 64, TEXT_WHOLE = 256 };

/* ---- which columns ---- */

/* Names of a comma-separated list, perhaps in back-quotes. Names with a comma in quotes are not found and so have no
 * stats. */
static bool is_in_list(struct str list, struct str name) {
    for (struct str rest = list, item; rest.len > 0;) {
        rest = str_split(rest, ',', &item);
        item = str_trim(item);
        if (item.len > 2 && item.ptr[0] == '`' && item.ptr[item.len - 1] == '`') item = str_sub(item, 1, item.len - 1);
        if (str_eq_nocase(item, name)) return true;
    }
    return false;
}

/* Names in files of the columns that the table is clustered by. */
static bool is_clustered_by(const struct delta_snapshot *base, struct str physical_name) {
    bool is_found = false;
    for (size_t d = 0; base && d < base->domain_count; d++) {
        struct json *tree = NULL;
        if (!str_eq(base->domains[d].name, STR("delta.clustering")) ||
            json_parse(base->domains[d].configuration, "delta.clustering", &tree, NULL) != ASSAY_OK)
            continue;
        const struct json *columns = json_member(tree, "clusteringColumns");
        for (size_t i = 0; i < json_count(columns); i++) {
            const struct json *path = json_at(columns, i);
            struct str first = json_str(json_kind_of(path) == JSON_KIND_ARRAY ? json_at(path, 0) : path);
            is_found = is_found || str_eq(first, physical_name);
        }
        json_close(&tree);
    }
    return is_found;
}

bool *delta_stats_columns(const struct delta_metadata *m, const struct delta_snapshot *base, struct arena *arena) {
    bool *is_chosen = ARENA_ARRAY(arena, m->schema.count, bool);
    struct str list = delta_property_get(m, STR("delta.dataSkippingStatsColumns"));
    struct str limit_text = delta_property_get(m, STR("delta.dataSkippingNumIndexedCols"));
    int64_t limit = COLUMNS_DEFAULT, leaves = 0;
    if (limit_text.len && str_int64(limit_text, &limit) != ASSAY_OK) limit = COLUMNS_DEFAULT;
    for (size_t i = 0; i < m->schema.count; i++) {
        const struct delta_field *field = &m->schema.fields[i];
        if (delta_is_partition_column(m, field->name)) continue;
        leaves += (int64_t)delta_field_leaves(field);
        is_chosen[i] = (list.len ? is_in_list(list, field->name) : limit < 0 || leaves <= limit) ||
                       is_clustered_by(base, field->physical_name);
    }
    return is_chosen;
}

/* ---- text ---- */

/* Bytes of the first `count` characters of valid UTF-8. */
static size_t bytes_of(struct str text, size_t count) {
    size_t at = 0;
    while (at < text.len && count > 0) {
        at++;
        while (at < text.len && ((unsigned char)text.ptr[at] & 0xC0) == 0x80) at++;
        count--;
    }
    return at;
}

static bool make_min_text(struct str value, struct arena *arena, struct str *out) {
    *out = str_copy(arena, str_sub(value, 0, bytes_of(value, TEXT_CUT)));
    return true;
}

/* The cut prefix, lengthened past every U+10FFFF, and a character above the next one. False if there is none within
 * TEXT_LONGEST. */
static bool make_max_text(struct str value, struct arena *arena, struct str *out) {
    size_t cut = bytes_of(value, TEXT_CUT);
    struct str last = STR("\xF4\x8F\xBF\xBF");
    for (size_t chars = TEXT_CUT; cut < value.len; chars++, cut += last.len) {
        if (chars >= TEXT_LONGEST) return false;
        struct str next = str_sub(value, cut, value.len);
        if (str_starts(next, last)) continue;
        bool is_below_delete = (unsigned char)next.ptr[0] < 0x7F;
        *out = str_printf(arena, "%.*s%s", (int)cut, value.ptr, is_below_delete ? "\x7F" : last.ptr);
        return true;
    }
    *out = value;
    return true;
}

static bool make_text(const struct engine_column_stats *column, bool is_max, struct arena *arena, struct str *out) {
    if (str_utf8_error(column->min) != SIZE_MAX || str_utf8_error(column->max) != SIZE_MAX) return false;
    bool is_one = column->null_count == 0 && str_eq(column->min, column->max);
    if (is_one && str_utf8_count(column->min) <= TEXT_WHOLE) {
        *out = column->min;
        return true;
    }
    return is_max ? make_max_text(column->max, arena, out) : make_min_text(column->min, arena, out);
}

/* ---- other types, from the engine's text ---- */

static bool is_json_number(struct str text) {
    size_t i = text.len > 0 && text.ptr[0] == '-';
    size_t digits = 0;
    for (; i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9'; i++) digits++;
    if (digits == 0 || (digits > 1 && text.ptr[i - digits] == '0')) return false;
    for (; i < text.len; i++)
        if (!strchr("0123456789.eE+-", text.ptr[i]) || text.ptr[i] == '\0') return false;
    return text.ptr[text.len - 1] >= '0' && text.ptr[text.len - 1] <= '9';
}

/* `yyyy-MM-dd` of the years 1 to 9999. */
static bool is_plain_date(struct str text) {
    if (text.len != 10 || text.ptr[4] != '-' || text.ptr[7] != '-') return false;
    for (size_t i = 0; i < 10; i++)
        if (i != 4 && i != 7 && (text.ptr[i] < '0' || text.ptr[i] > '9')) return false;
    return !str_starts(text, STR("0000"));
}

/* `2024-01-05 12:30:45.123456` to `2024-01-05T12:30:45.123`: the digits count upwards, so leaving them out cuts down.
 */
static bool make_timestamp(struct str text, bool has_zone, struct arena *arena, struct str *out) {
    if (text.len < 19 || text.ptr[10] != ' ' || !is_plain_date(str_sub(text, 0, 10))) return false;
    char millis[] = "000";
    if (text.len > 20 && text.ptr[19] == '.')
        for (size_t i = 0; i < 3 && 20 + i < text.len; i++) millis[i] = text.ptr[20 + i];
    *out = str_printf(arena, "%.10sT%.8s.%s%s", text.ptr, text.ptr + 11, millis, has_zone ? "Z" : "");
    return true;
}

/* Print one bound as a member, or nothing if it cannot be said. */
static void put_bound(struct json_writer *w, const struct delta_field *field, const struct engine_column_stats *column,
                      bool is_max, struct arena *arena) {
    struct str value = is_max ? column->max : column->min, text;
    switch (field->type.kind) {
    case TYPE_TINYINT:
    case TYPE_SMALLINT:
    case TYPE_INT:
    case TYPE_BIGINT:
    case TYPE_DECIMAL:
    case TYPE_FLOAT:
    case TYPE_DOUBLE:
        if (!is_json_number(value)) return;
        json_key_str(w, field->physical_name);
        json_put_raw(w, value);
        return;
    case TYPE_DATE:
        if (!is_plain_date(value)) return;
        text = value;
        break;
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_NTZ:
        if (!make_timestamp(value, field->type.kind == TYPE_TIMESTAMP, arena, &text)) return;
        break;
    case TYPE_STRING:
        if (!make_text(column, is_max, arena, &text)) return;
        break;
    case TYPE_BOOLEAN: /* Spark has no use for it; delta-rs loses rows of columns without bounds */
        json_key_str(w, field->physical_name);
        json_put_bool(w, str_eq(value, STR("true")));
        return;
    case TYPE_NONE:
    case TYPE_BINARY:
        return;
    }
    json_key_str(w, field->physical_name);
    json_put_str(w, text);
}

/* ---- the object ---- */

/* `hint` is where the column is in a file of the whole schema. */
static const struct engine_column_stats *find_column(const struct engine_file *file, struct str name, size_t hint) {
    if (hint < file->column_count && str_eq(file->columns[hint].name, name)) return &file->columns[hint];
    for (size_t i = 0; i < file->column_count; i++)
        if (str_eq(file->columns[i].name, name)) return &file->columns[i];
    return NULL;
}

struct making {
    const struct delta_metadata *metadata;
    const struct engine_file *file;
    const bool *is_chosen;
    struct arena *arena;
};

static void put_bounds(struct json_writer *w, const struct making *making, const char *key, bool is_max) {
    json_key(w, key);
    json_begin_object(w);
    for (size_t i = 0; i < making->metadata->schema.count; i++) {
        const struct delta_field *field = &making->metadata->schema.fields[i];
        const struct engine_column_stats *column =
            making->is_chosen[i] ? find_column(making->file, field->physical_name, i) : NULL;
        if (column && column->has_bounds) put_bound(w, field, column, is_max, making->arena);
    }
    json_end_object(w);
}

static void put_null_counts(struct json_writer *w, const struct making *making) {
    json_key(w, "nullCount");
    json_begin_object(w);
    for (size_t i = 0; i < making->metadata->schema.count; i++) {
        const struct delta_field *field = &making->metadata->schema.fields[i];
        const struct engine_column_stats *column =
            making->is_chosen[i] ? find_column(making->file, field->physical_name, i) : NULL;
        if (!column || column->null_count < 0 || delta_field_is_struct(field)) continue;
        json_key_str(w, field->physical_name);
        json_put_int(w, column->null_count);
    }
    json_end_object(w);
}

struct str delta_stats_make(const struct delta_metadata *m, const bool *columns, const struct engine_file *file,
                            struct arena *arena) {
    struct buf text = {0};
    struct json_writer w = {.out = &text};
    struct making making = {m, file, columns, arena};
    json_begin_object(&w);
    json_key(&w, "numRecords");
    json_put_int(&w, file->row_count);
    put_bounds(&w, &making, "minValues", false);
    put_bounds(&w, &making, "maxValues", true);
    put_null_counts(&w, &making);
    json_end_object(&w);
    struct str stats = str_copy(arena, buf_str(&text));
    buf_free(&text);
    return stats;
}
