/*
 * The rows of a batch of JSON files as a source for the engine: whoever is out of rows reads the next block, which is
 * serial and cheap; reading the objects is not, and runs in all workers.
 *
 * 1. A record that is not one good object is a corrupt row: the values that could be read, and its text. It never harms
 * its neighbours.
 * 2. Keys that no column has are noted with the place where they were first seen, so that new columns have an order
 * that does not depend on which worker was faster.
 */
#include "bronze/json.h"

#include "base/limits.h"

#include <pthread.h>
#include <stdlib.h>

/** A key that no column has, and where it was first seen. */
struct unknown {
    struct str key;
    size_t file, at; /* which file; which of the record's unknown keys */
    int64_t line;
};

/** Different whatever their case. Not to be moved. */
struct unknowns {
    struct bronze_columns names; /* finds items: same count, same order */
    struct unknown *items;
    size_t capacity;
    struct arena arena; /* of the keys */
};

struct json_rows {
    const struct json_settings *settings;
    const struct bronze_columns *columns;
    const struct bronze_file *files;
    size_t file_count, block_bytes;
    struct bronze_findings *findings;
    pthread_mutex_t lock; /* of what follows */
    size_t next;          /* file to open */
    struct json_file file;
    bool is_open, is_refused;
    struct unknowns unknowns;
};

struct worker {
    struct json_block block;
    size_t file; /* of the block */
    bool is_done;
    struct json_reader reader;
    struct unknowns unknowns;
    size_t told; /* of its unknowns, how many are in rows->unknowns */
    struct row_work work;
};

/* ---- keys that no column has ---- */

static void open_unknowns(struct unknowns *u) {
    static const struct plan no_columns;
    *u = (struct unknowns){0};
    columns_open(&u->names, &no_columns, &u->arena);
}

/** Most records have their keys in the order of the first one, so where the key is expected is asked first. */
static size_t find_unknown(const struct unknowns *u, const struct unknown *wanted) {
    bool is_there = wanted->at < u->names.count && str_eq(u->items[wanted->at].key, wanted->key);
    return is_there ? wanted->at : columns_find(&u->names, wanted->key);
}

static bool is_before(const struct unknown *a, const struct unknown *b) {
    if (a->file != b->file) return a->file < b->file;
    return a->line != b->line ? a->line < b->line : a->at < b->at;
}

static void add_unknown(struct unknowns *u, struct unknown new) {
    size_t at = find_unknown(u, &new);
    if (at != SIZE_MAX && !is_before(&new, &u->items[at])) return;
    new.key = str_copy(&u->arena, new.key);
    if (at == SIZE_MAX) at = columns_add(&u->names, new.key);
    if (at == u->capacity) {
        u->capacity = u->capacity ? 2 * u->capacity : 16;
        u->items = memory_realloc(u->items, u->capacity * sizeof *u->items);
    }
    u->items[at] = new;
}

static void free_unknowns(struct unknowns *u) {
    free(u->items);
    arena_reset(&u->arena);
}

/** What this worker found that the others may not have. */
static enum assay_code tell_unknowns(struct json_rows *rows, struct worker *w, struct assay_error *err) {
    if (w->told == w->unknowns.names.count) return ASSAY_OK;
    pthread_mutex_lock(&rows->lock);
    for (; w->told < w->unknowns.names.count; w->told++) add_unknown(&rows->unknowns, w->unknowns.items[w->told]);
    size_t count = rows->unknowns.names.count;
    pthread_mutex_unlock(&rows->lock);
    if (count + rows->columns->count <= LIMIT_COLUMNS) return ASSAY_OK;
    return error_set(err, ASSAY_LIMIT, rows->files[w->file].key.ptr,
                     "the objects of the batch have more than %d different keys, the limit for columns: are some of "
                     "them values?\nnext: ask the source for objects with the agreed keys",
                     LIMIT_COLUMNS);
}

static int by_place(const void *a, const void *b) { return is_before(a, b) ? -1 : is_before(b, a) ? 1 : 0; }

bool json_rows_add_columns(struct json_rows *rows, struct bronze_columns *columns) {
    struct unknowns *u = &rows->unknowns;
    size_t count = u->names.count;
    if (count) qsort(u->items, count, sizeof *u->items, by_place);
    for (size_t i = 0; i < count; i++) columns_add(columns, u->items[i].key);
    return count > 0;
}

bool json_rows_is_refused(const struct json_rows *rows) { return rows->is_refused; }

/* ---- rows ---- */

static enum assay_code open_worker(void *source, void **out, struct assay_error *err) {
    struct json_rows *rows = source;
    struct worker *w = memory_alloc(sizeof *w);
    (void)err;
    *w = (struct worker){.block.settings = rows->settings};
    json_reader_open(&w->reader, rows->columns);
    open_unknowns(&w->unknowns);
    *out = w;
    return ASSAY_OK;
}

static void close_worker(void *source, void *worker) {
    struct worker *w = worker;
    (void)source;
    json_block_close(&w->block);
    json_reader_close(&w->reader);
    free_unknowns(&w->unknowns);
    buf_free(&w->work.text);
    free(w);
}

/** With the lock held. */
static enum assay_code load_next(struct json_rows *rows, struct worker *w, struct assay_error *err) {
    for (;;) {
        if (!rows->is_open) {
            w->is_done = rows->next == rows->file_count;
            if (w->is_done) return ASSAY_OK;
            const struct bronze_file *f = &rows->files[rows->next++];
            TRY(json_file_open(&rows->file, rows->settings, f->path, f->key.ptr, f->size_bytes, err));
            rows->is_open = true;
        }
        TRY(json_block_load(&w->block, &rows->file, rows->block_bytes, err));
        if (w->block.stop) break;
        json_file_close(&rows->file);
        rows->is_open = false;
    }
    w->file = rows->next - 1;
    return ASSAY_OK;
}

static enum assay_code load_block(struct json_rows *rows, struct worker *w, struct assay_error *err) {
    pthread_mutex_lock(&rows->lock);
    enum assay_code rc = load_next(rows, w, err);
    rows->is_refused |= rc == ASSAY_REFUSED;
    pthread_mutex_unlock(&rows->lock);
    return rc;
}

/** What the file has for a record whose text does not say all; ptr NULL when it does. */
static struct str sent_bytes(struct worker *w, const struct json_record *record) {
    size_t from = (size_t)(record->bytes.ptr - w->block.text.data);
    int64_t offset;
    if (record->is_valid) return (struct str){0};
    return text_piece_bytes(&w->block.text, from, from + record->bytes.len, &offset);
}

static void put_row(const struct json_rows *rows, struct worker *w, const struct json_record *record,
                    struct engine_sink *sink) {
    size_t columns = rows->columns->count, row = sink->row_count;
    enum json_fault fault = json_reader_read(&w->reader, record->bytes, record->is_valid);
    for (size_t i = 0; i < columns; i++) {
        if (w->reader.values[i].ptr)
            engine_sink_text(sink, i, row, w->reader.values[i]);
        else
            engine_sink_null(sink, i, row);
    }
    if (fault != JSON_GOOD)
        row_put_corrupt(&w->work, sink, columns, record->bytes, sent_bytes(w, record), w->block.text.encoding != NULL);
    else
        row_put_good(sink, columns);
    for (size_t i = 0; i < w->reader.unknown_count; i++)
        add_unknown(&w->unknowns, (struct unknown){w->reader.unknown[i], w->file, i, record->line});
    row_end(&w->work, sink, columns, rows->files[w->file].key, record->line);
}

static enum assay_code fill(void *source, void *worker, struct engine_sink *sink, struct assay_error *err) {
    struct json_rows *rows = source;
    struct worker *w = worker;
    struct json_record record;
    sink->row_count = 0;
    while (sink->row_count < sink->capacity && !w->is_done) {
        if (!json_block_next(&w->block, &record)) {
            TRY(load_block(rows, w, err));
            continue;
        }
        put_row(rows, w, &record, sink);
        TRY(tell_unknowns(rows, w, err));
    }
    row_tell(&w->work, rows->findings);
    return ASSAY_OK;
}

struct json_rows *json_rows_open(const struct json_settings *settings, const struct bronze_columns *columns,
                                 const struct bronze_file *files, size_t count, size_t block_bytes,
                                 struct bronze_findings *findings) {
    struct json_rows *rows = memory_alloc(sizeof *rows);
    *rows = (struct json_rows){.settings = settings,
                               .columns = columns,
                               .files = files,
                               .file_count = count,
                               .block_bytes = block_bytes,
                               .findings = findings};
    open_unknowns(&rows->unknowns);
    pthread_mutex_init(&rows->lock, NULL);
    return rows;
}

void json_rows_close(struct json_rows **rows) {
    struct json_rows *r = *rows;
    if (!r) return;
    if (r->is_open) json_file_close(&r->file);
    free_unknowns(&r->unknowns);
    pthread_mutex_destroy(&r->lock);
    free(r);
    *rows = NULL;
}

enum assay_code json_rows_add_source(struct json_rows *rows, struct engine *engine, struct str name, int threads,
                                     struct assay_error *err) {
    int64_t blocks = 0; /* more workers than blocks would have nothing to do */
    for (size_t i = 0; i < rows->file_count; i++) blocks += 1 + rows->files[i].size_bytes / (int64_t)rows->block_bytes;
    struct engine_source source = {.source = rows,
                                   .workers_max = blocks < threads ? (int)blocks : threads,
                                   .open_worker = open_worker,
                                   .fill = fill,
                                   .close_worker = close_worker};
    return row_source_add(engine, name, rows->columns, source, err);
}
