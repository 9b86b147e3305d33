/**
 * The batch's rows as a source for the engine.
 *
 * A record with the wrong number of tokens, an unclosed quote (multiLine) or bytes that are not UTF-8 is a corrupt row:
 * the tokens that could be read, and its text. It never harms its neighbours.
 */
#include "bronze/bronze_int.h"

#include <stdlib.h>

struct bronze_rows {
    const struct bronze_columns *columns;
    const struct csv_dialect *dialect;
    const struct bronze_file *files;
    size_t file_count, block_bytes;
    struct blocks *blocks;
    struct bronze_findings *findings;
};

/** Columns behind the batch's. */
enum { AT_CORRUPT_RECORD, AT_SOURCE_FILE, AT_SOURCE_LINE, AT_CORRUPT_BYTES, ADDED_COLUMNS };

struct worker {
    struct csv_block block;
    const struct bronze_file *file; /* of the block; NULL: there are no more */
    struct buf text;
    int64_t rows, corrupt, half_quotes, header_rows;
    bool has_bad_bytes;
};

static size_t count_fields_max(const struct bronze_rows *rows) {
    size_t most = 0;
    for (size_t i = 0; i < rows->file_count; i++)
        if (rows->files[i].field_count > most) most = rows->files[i].field_count;
    return most;
}

static enum assay_code open_worker(void *source, void **out, struct assay_error *err) {
    struct bronze_rows *rows = source;
    struct worker *w = memory_alloc(sizeof *w);
    (void)err;
    *w = (struct worker){0};
    csv_block_open(&w->block, rows->dialect, count_fields_max(rows), rows->block_bytes);
    *out = w;
    return ASSAY_OK;
}

static void close_worker(void *source, void *worker) {
    struct worker *w = worker;
    (void)source;
    csv_block_close(&w->block);
    buf_free(&w->text);
    free(w);
}

static size_t count_byte(struct str s, char c) {
    size_t count = 0;
    for (size_t i = 0; i < s.len; i++) count += s.ptr[i] == c;
    return count;
}

/** The corrupt record's text and, when that is not all, its bytes. */
static void put_corrupt(const struct bronze_rows *rows, struct worker *w, const struct csv_record *record,
                        struct engine_sink *sink) {
    size_t columns = rows->columns->count, row = sink->row_count;
    w->corrupt++;
    if (record->is_valid) {
        engine_sink_text(sink, columns + AT_CORRUPT_RECORD, row, record->bytes);
        engine_sink_null(sink, columns + AT_CORRUPT_BYTES, row);
        return;
    }
    w->has_bad_bytes = true;
    buf_clear(&w->text);
    readable_text(&w->text, record->bytes, w->block.text.encoding != NULL);
    engine_sink_text(sink, columns + AT_CORRUPT_RECORD, row, buf_str(&w->text));
    int64_t offset;
    engine_sink_text(sink, columns + AT_CORRUPT_BYTES, row, csv_record_bytes(&w->block, record, &offset));
}

static void put_tokens(const struct worker *w, const struct csv_record *record, size_t columns,
                       struct engine_sink *sink) {
    const struct bronze_file *file = w->file;
    size_t count = record->token_count < file->field_count ? record->token_count : file->field_count;
    for (size_t i = 0; i < columns; i++) {
        size_t field = file->fields ? file->fields[i] : i;
        csv_token token = field < count ? w->block.tokens[field] : (csv_token){0};
        if (csv_is_null(w->block.dialect, token) || (!record->is_valid && str_utf8_error(token) != SIZE_MAX))
            engine_sink_null(sink, i, sink->row_count);
        else
            engine_sink_text(sink, i, sink->row_count, token);
    }
}

/** In line mode, a line with a quote too many: good or corrupt, it may be one half of a quoted line break. */
static bool is_half_quoted(const struct csv_dialect *d, struct str line) {
    char quote = (char)d->quote;
    return d->quote >= 0 && !d->is_multi_line && str_find_char(line, quote) != SIZE_MAX && count_byte(line, quote) % 2;
}

static void put_row(const struct bronze_rows *rows, struct worker *w, const struct csv_record *record,
                    struct engine_sink *sink) {
    size_t columns = rows->columns->count, row = sink->row_count;
    put_tokens(w, record, columns, sink);
    if (csv_is_corrupt(record, w->file->field_count)) {
        put_corrupt(rows, w, record, sink);
    } else {
        engine_sink_null(sink, columns + AT_CORRUPT_RECORD, row);
        engine_sink_null(sink, columns + AT_CORRUPT_BYTES, row);
    }
    engine_sink_text(sink, columns + AT_SOURCE_FILE, row, w->file->key);
    engine_sink_int64(sink, columns + AT_SOURCE_LINE, row, record->line);
    w->half_quotes += is_half_quoted(rows->dialect, record->bytes);
    w->header_rows += w->file->header.ptr && str_eq(record->bytes, w->file->header);
    sink->row_count++;
    w->rows++;
}

static void add_findings(struct bronze_rows *rows, struct worker *w) {
    atomic_fetch_add(&rows->findings->row_count, w->rows);
    atomic_fetch_add(&rows->findings->corrupt_count, w->corrupt);
    atomic_fetch_add(&rows->findings->half_quotes, w->half_quotes);
    atomic_fetch_add(&rows->findings->header_rows, w->header_rows);
    if (w->has_bad_bytes) atomic_store(&rows->findings->has_bad_bytes, true);
    w->rows = w->corrupt = w->half_quotes = w->header_rows = 0;
}

static enum assay_code fill(void *source, void *worker, struct engine_sink *sink, struct assay_error *err) {
    struct bronze_rows *rows = source;
    struct worker *w = worker;
    struct csv_record record;
    sink->row_count = 0;
    while (sink->row_count < sink->capacity) {
        if (csv_block_next(&w->block, &record)) {
            put_row(rows, w, &record, sink);
            continue;
        }
        TRY(blocks_next(rows->blocks, &w->block, &w->file, err));
        if (!w->file) break;
    }
    add_findings(rows, w);
    return ASSAY_OK;
}

struct bronze_rows *rows_open(const struct bronze_columns *columns, const struct csv_dialect *dialect,
                              const struct bronze_file *files, size_t count, size_t block_bytes,
                              struct bronze_findings *findings) {
    struct bronze_rows *rows = memory_alloc(sizeof *rows);
    *rows =
        (struct bronze_rows){columns, dialect, files, count, block_bytes, blocks_open(dialect, files, count), findings};
    return rows;
}

void rows_close(struct bronze_rows **rows) {
    if (!*rows) return;
    blocks_close(&(*rows)->blocks);
    free(*rows);
    *rows = NULL;
}

/** More workers than blocks would have nothing to do. */
static int count_workers(const struct bronze_rows *rows, int threads) {
    int64_t blocks = 0;
    for (size_t i = 0; i < rows->file_count; i++)
        blocks += 1 + (rows->files[i].size_bytes - rows->files[i].rows_offset) / (int64_t)rows->block_bytes;
    return blocks < threads ? (int)blocks : threads;
}

enum assay_code rows_add_source(struct bronze_rows *rows, struct engine *engine, struct str name, int threads,
                                struct assay_error *err) {
    static const struct {
        const char *name, *type;
    } added[ADDED_COLUMNS] = {[AT_CORRUPT_RECORD] = {BRONZE_CORRUPT_RECORD, "VARCHAR"},
                              [AT_SOURCE_FILE] = {LINEAGE_SOURCE_FILE, "VARCHAR"},
                              [AT_SOURCE_LINE] = {LINEAGE_SOURCE_LINE, "BIGINT"},
                              [AT_CORRUPT_BYTES] = {BRONZE_CORRUPT_BYTES, "BLOB"}};
    struct arena arena = {0};
    size_t columns = rows->columns->count, all = columns + ADDED_COLUMNS;
    struct str *names = ARENA_ARRAY(&arena, all, struct str);
    const char **types = ARENA_ARRAY(&arena, all, const char *);
    for (size_t i = 0; i < all; i++) {
        names[i] = i < columns ? rows->columns->list[i].name : str_of(added[i - columns].name);
        types[i] = i < columns ? "VARCHAR" : added[i - columns].type;
    }
    struct engine_source source = {
        .source = rows,
        .column_count = all,
        .column_names = names,
        .column_types = types,
        .workers_max = count_workers(rows, threads),
        .open_worker = open_worker,
        .fill = fill,
        .close_worker = close_worker,
    };
    enum assay_code rc = engine_add_source(engine, name, &source, err);
    arena_reset(&arena);
    return rc;
}
