/*
 * The change data feed: what became of rows that a commit changed (protocol: "Add CDC File", "Writer Requirements for
 * Change Data Feed").
 *
 * 1. Change files lie in `_change_data`, have the columns of data files and `_change_type`, and are no part of the
 * table.
 * 2. Readers of a commit that has change files look at nothing else of it: they name every change of the commit.
 * 3. Rows that were in the table are not judged by its rules again; the new ones were when they were written as data.
 */
#include "delta/delta_int.h"

bool delta_has_change_feed(const struct delta_metadata *m) {
    return str_eq_nocase(delta_property_get(m, STR("delta.enableChangeDataFeed")), STR("true"));
}

enum assay_code delta_write_changes(struct engine *engine, struct staging *staging,
                                    const struct delta_metadata *metadata, struct str select, struct arena *arena,
                                    struct delta_new_files *out, struct assay_error *err) {
    struct delta_metadata m = *metadata;
    m.schema.fields = ARENA_ARRAY(arena, m.schema.count + 1, struct delta_field);
    for (size_t i = 0; i < m.schema.count; i++) m.schema.fields[i] = metadata->schema.fields[i];
    m.schema.fields[m.schema.count++] = (struct delta_field){.name = STR(DELTA_CHANGE_TYPE),
                                                             .type = {.kind = TYPE_STRING},
                                                             .type_json = STR("\"string\""),
                                                             .is_nullable = true,
                                                             .metadata = STR("{}"),
                                                             .physical_name = STR(DELTA_CHANGE_TYPE),
                                                             .mapping_id = -1};
    struct engine_write_options options = {0};
    struct delta_writing writing = {engine, staging, &m, "cdc", false, arena, &options};
    return delta_write_rows(&writing, select, out, err);
}
