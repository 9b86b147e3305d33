/*
 * Which files may hold rows inside a range (data skipping; protocol: "Per-file Statistics").
 *
 * 1. A file is passed over only when its stats prove that no row can be inside; whatever is missing or not understood
 * keeps it.
 * 2. NULL is in no range: a column that is NULL in every row keeps the file out.
 * 3. NaN is above every number, and not every writer counts it in a maximum: such a maximum counts only against a range
 * that ends at a number.
 * 4. A partition column has one value in a file, which the log says.
 * 5. Stats are under the names that files have. Deleted rows count in them: bounds are no narrower than those of the
 * rows that stand, and NULL in every row of the file is NULL in every row that stands.
 */
#include "delta/delta_int.h"

#include <math.h>

static bool has_bounds(struct type type) {
    return type.kind != TYPE_NONE && type.kind != TYPE_BOOLEAN && type.kind != TYPE_BINARY;
}

void delta_ranges_resolve(const struct delta_metadata *m, const struct delta_range *ranges, size_t count,
                          struct arena *arena, struct delta_stats_range **out, size_t *out_count) {
    struct delta_stats_range *resolved = ARENA_ARRAY(arena, count, struct delta_stats_range);
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        size_t field = delta_field_find(&m->schema, ranges[i].column);
        if (field == SIZE_MAX || !has_bounds(m->schema.fields[field].type)) continue;
        struct type type = m->schema.fields[field].type;
        resolved[used++] = (struct delta_stats_range){.type = type,
                                                      .column = m->schema.fields[field].name,
                                                      .stored = m->schema.fields[field].physical_name,
                                                      .min = delta_bound_of_text(ranges[i].min, type),
                                                      .max = delta_bound_of_text(ranges[i].max, type)};
    }
    *out = resolved;
    *out_count = used;
}

static bool may_overlap(const struct delta_stats_range *range, const struct delta_bound *min,
                        const struct delta_bound *max) {
    if (!min->is_open && !range->max.is_open && delta_bound_cmp(min, &range->max, range->type) > 0) return false;
    bool is_real = range->type.kind == TYPE_FLOAT || range->type.kind == TYPE_DOUBLE;
    if (is_real && (range->max.is_open || isnan(range->max.real))) return true;
    return max->is_open || range->min.is_open || delta_bound_cmp(max, &range->min, range->type) >= 0;
}

static bool partition_may_match(const struct str *value, const struct delta_stats_range *range) {
    if (!value->ptr) return false;
    struct delta_bound bound = delta_bound_of_text(*value, range->type);
    /* without a zone it is the writer's, which the log does not say */
    bool has_zone = range->type.kind != TYPE_TIMESTAMP || str_ends(*value, STR("Z"));
    return !has_zone || may_overlap(range, &bound, &bound);
}

static bool column_may_match(struct str stats, const struct delta_stats_range *range, struct arena *arena) {
    int64_t rows = delta_stats_int(stats, "numRecords", (struct str){0});
    int64_t nulls = delta_stats_int(stats, "nullCount", range->stored);
    if (rows >= 0 && nulls >= 0 && nulls == rows) return false;
    struct delta_bound min = {.is_open = true}, max = {.is_open = true};
    struct str raw;
    if (delta_stats_find(stats, "minValues", range->stored, &raw))
        min = delta_bound_of_stats(raw, range->type, false, arena);
    if (delta_stats_find(stats, "maxValues", range->stored, &raw))
        max = delta_bound_of_stats(raw, range->type, true, arena);
    return may_overlap(range, &min, &max);
}

bool delta_stats_may_match(const struct delta_metadata *m, struct str stats, const struct str *partition,
                           const struct delta_stats_range *ranges, size_t count, struct arena *arena) {
    for (size_t i = 0; i < count; i++) {
        size_t p = 0;
        while (p < m->partition_column_count && !str_eq_nocase(m->partition_columns[p], ranges[i].column)) p++;
        bool is_partition = p < m->partition_column_count;
        if (is_partition && partition && !partition_may_match(&partition[p], &ranges[i])) return false;
        if (!is_partition && !column_may_match(stats, &ranges[i], arena)) return false;
    }
    return true;
}

enum assay_code delta_prune(const struct delta_snapshot *s, const struct delta_range *ranges, size_t range_count,
                            struct arena *arena, size_t **out, size_t *count, struct assay_error *err) {
    (void)err;
    struct arena scratch = {0};
    struct delta_stats_range *resolved;
    size_t resolved_count, kept = 0;
    delta_ranges_resolve(&s->metadata, ranges, range_count, arena, &resolved, &resolved_count);
    size_t *indexes = ARENA_ARRAY(arena, s->file_count, size_t);
    for (size_t i = 0; i < s->file_count; i++) {
        const struct delta_file *file = &s->files[i];
        if (delta_stats_may_match(&s->metadata, file->stats, file->partition_values, resolved, resolved_count,
                                  &scratch))
            indexes[kept++] = i;
        if (scratch.used_bytes > 1 << 16) arena_reset(&scratch);
    }
    arena_reset(&scratch);
    *out = indexes;
    *count = kept;
    return ASSAY_OK;
}

bool delta_file_is_all(const struct delta_snapshot *s, size_t file, struct str column, struct str value) {
    const struct delta_file *f = &s->files[file];
    size_t field = delta_field_find(&s->metadata.schema, column);
    if (field == SIZE_MAX || s->metadata.schema.fields[field].type.kind != TYPE_STRING) return false;
    struct str name = s->metadata.schema.fields[field].name, min, max, raw;
    struct str stored = s->metadata.schema.fields[field].physical_name;
    for (size_t p = 0; p < s->metadata.partition_column_count; p++)
        if (str_eq(s->metadata.partition_columns[p], name))
            return f->partition_values[p].ptr && str_eq(f->partition_values[p], value);
    if (f->row_count < 0 || delta_stats_int(f->stats, "nullCount", stored) != 0) return false;
    if (delta_stats_find(f->stats, "tightBounds", (struct str){0}, &raw) && str_eq(raw, STR("false"))) return false;
    struct arena scratch = {0};
    bool is_all = delta_stats_find(f->stats, "minValues", stored, &raw) && delta_stats_text(raw, &scratch, &min) &&
                  str_eq(min, value) && delta_stats_find(f->stats, "maxValues", stored, &raw) &&
                  delta_stats_text(raw, &scratch, &max) && str_eq(max, value);
    arena_reset(&scratch);
    return is_all;
}
