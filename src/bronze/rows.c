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

struct worker {
    struct csv_block block;
    const struct bronze_file *file; /* of the block; NULL: there are no more */
    struct row_work work;
    int64_t half_quotes, header_rows;
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
    buf_free(&w->work.text);
    free(w);
}

static size_t count_byte(struct str s, char c) {
    size_t count = 0;
    for (size_t i = 0; i < s.len; i++) count += s.ptr[i] == c;
    return count;
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
    size_t columns = rows->columns->count;
    int64_t offset;
    put_tokens(w, record, columns, sink);
    if (csv_is_corrupt(record, w->file->field_count))
        row_put_corrupt(&w->work, sink, columns, record->bytes,
                        record->is_valid ? (struct str){0} : csv_record_bytes(&w->block, record, &offset),
                        w->block.text.encoding != NULL);
    else
        row_put_good(sink, columns);
    row_end(&w->work, sink, columns, w->file->key, record->line);
    w->half_quotes += is_half_quoted(rows->dialect, record->bytes);
    w->header_rows += w->file->header.ptr && str_eq(record->bytes, w->file->header);
}

static void add_findings(struct bronze_rows *rows, struct worker *w) {
    row_tell(&w->work, rows->findings);
    atomic_fetch_add(&rows->findings->half_quotes, w->half_quotes);
    atomic_fetch_add(&rows->findings->header_rows, w->header_rows);
    w->half_quotes = w->header_rows = 0;
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
    struct engine_source source = {.source = rows,
                                   .workers_max = count_workers(rows, threads),
                                   .open_worker = open_worker,
                                   .fill = fill,
                                   .close_worker = close_worker};
    return row_source_add(engine, name, rows->columns, source, err);
}
