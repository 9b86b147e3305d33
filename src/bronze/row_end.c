/*
 * The columns that every row of CSV and JSON has behind those of its batch, in the order of the enum: the text of a
 * corrupt row, its file and line, and its bytes where the text does not say all.
 */
#include "bronze/bronze_int.h"

enum { AT_CORRUPT_RECORD, AT_SOURCE_FILE, AT_SOURCE_LINE, AT_CORRUPT_BYTES, ADDED_COLUMNS };

void row_end(struct row_work *w, struct engine_sink *sink, size_t columns, struct str source_file, int64_t line) {
    engine_sink_text(sink, columns + AT_SOURCE_FILE, sink->row_count, source_file);
    engine_sink_int64(sink, columns + AT_SOURCE_LINE, sink->row_count, line);
    sink->row_count++;
    w->rows++;
}

void row_put_good(struct engine_sink *sink, size_t columns) {
    engine_sink_null(sink, columns + AT_CORRUPT_RECORD, sink->row_count);
    engine_sink_null(sink, columns + AT_CORRUPT_BYTES, sink->row_count);
}

void row_put_corrupt(struct row_work *w, struct engine_sink *sink, size_t columns, struct str text, struct str bytes,
                     bool is_decoded) {
    w->corrupt++;
    if (!bytes.ptr) {
        engine_sink_text(sink, columns + AT_CORRUPT_RECORD, sink->row_count, text);
        engine_sink_null(sink, columns + AT_CORRUPT_BYTES, sink->row_count);
        return;
    }
    w->has_bad_bytes = true;
    buf_clear(&w->text);
    readable_text(&w->text, text, is_decoded);
    engine_sink_text(sink, columns + AT_CORRUPT_RECORD, sink->row_count, buf_str(&w->text));
    engine_sink_text(sink, columns + AT_CORRUPT_BYTES, sink->row_count, bytes);
}

void row_tell(struct row_work *w, struct bronze_findings *findings) {
    atomic_fetch_add(&findings->row_count, w->rows);
    atomic_fetch_add(&findings->corrupt_count, w->corrupt);
    if (w->has_bad_bytes) atomic_store(&findings->has_bad_bytes, true);
    w->rows = w->corrupt = 0;
}

enum assay_code row_source_add(struct engine *engine, struct str name, const struct bronze_columns *columns,
                               struct engine_source source, struct assay_error *err) {
    static const struct {
        const char *name, *type;
    } added[ADDED_COLUMNS] = {[AT_CORRUPT_RECORD] = {BRONZE_CORRUPT_RECORD, "VARCHAR"},
                              [AT_SOURCE_FILE] = {LINEAGE_SOURCE_FILE, "VARCHAR"},
                              [AT_SOURCE_LINE] = {LINEAGE_SOURCE_LINE, "BIGINT"},
                              [AT_CORRUPT_BYTES] = {BRONZE_CORRUPT_BYTES, "BLOB"}};
    struct arena arena = {0};
    size_t all = columns->count + ADDED_COLUMNS;
    struct str *names = ARENA_ARRAY(&arena, all, struct str);
    const char **types = ARENA_ARRAY(&arena, all, const char *);
    for (size_t i = 0; i < all; i++) {
        bool is_own = i < columns->count;
        names[i] = is_own ? columns->list[i].name : str_of(added[i - columns->count].name);
        types[i] = is_own ? "VARCHAR" : added[i - columns->count].type;
    }
    source.column_count = all;
    source.column_names = names;
    source.column_types = types;
    enum assay_code rc = engine_add_source(engine, name, &source, err);
    arena_reset(&arena);
    return rc;
}
