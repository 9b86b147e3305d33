/**
 * The batch's rows as a source for the engine: files are cut into parts, workers take them in order, each part's lines
 * are numbered from where the part before it ended.
 *
 * 1. A part's first line number is known once the parts before it were counted. A worker counts a part as soon as it
 * has it, so nobody waits for rows, only for counts.
 * 2. A record with the wrong number of tokens, an unclosed quote (multiLine) or bytes that are not UTF-8 is a corrupt
 * row: the tokens that could be read, and its text. It never harms its neighbours.
 * 3. The first record of a file is its header and no row.
 */
#include "bronze/bronze_int.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PART_BYTES = 4 << 20 };

struct part {
    const struct bronze_file *file;
    int64_t from, to;
    int64_t first_line; /* 0: not known yet */
};

struct bronze_rows {
    const struct plan *plan;
    const struct csv_dialect *dialect;
    struct bronze_findings *findings;
    struct part *parts;
    size_t part_count;
    atomic_size_t next;
    pthread_mutex_t lock; /* of first_line and has_failed */
    pthread_cond_t counted;
    bool has_failed;
};

struct worker {
    struct csv_reader reader;
    bool is_open;
    const struct part *part;
    csv_token *tokens;
    struct buf scratch, text;
    int64_t rows, corrupt, half_quotes;
    bool has_bad_bytes;
};

static enum assay_code open_worker(void *source, void **out, struct assay_error *err) {
    struct bronze_rows *rows = source;
    struct worker *w = memory_alloc(sizeof *w);
    (void)err;
    *w = (struct worker){.tokens = memory_alloc((rows->plan->source_column_count + 1) * sizeof *w->tokens)};
    *out = w;
    return ASSAY_OK;
}

static void close_worker(void *source, void *worker) {
    struct worker *w = worker;
    (void)source;
    if (w->is_open) csv_reader_close(&w->reader);
    free(w->tokens);
    buf_free(&w->scratch);
    buf_free(&w->text);
    free(w);
}

static void fail(struct bronze_rows *rows) {
    pthread_mutex_lock(&rows->lock);
    rows->has_failed = true;
    pthread_cond_broadcast(&rows->counted);
    pthread_mutex_unlock(&rows->lock);
}

/** Wait for the part's first line, and tell the next part of the same file where it starts. False when another worker
 * failed. */
static bool settle_lines(struct bronze_rows *rows, struct part *part, int64_t lines, int64_t *first_line) {
    pthread_mutex_lock(&rows->lock);
    while (part->first_line == 0 && !rows->has_failed) pthread_cond_wait(&rows->counted, &rows->lock);
    bool is_fine = !rows->has_failed;
    *first_line = part->first_line;
    struct part *next = part + 1;
    if (is_fine && next < rows->parts + rows->part_count && next->file == part->file) {
        next->first_line = part->first_line + lines;
        pthread_cond_broadcast(&rows->counted);
    }
    pthread_mutex_unlock(&rows->lock);
    return is_fine;
}

static enum assay_code open_part(struct bronze_rows *rows, struct worker *w, struct part *part,
                                 struct assay_error *err) {
    int64_t lines;
    if (!w->is_open || w->part->file != part->file) {
        if (w->is_open) csv_reader_close(&w->reader);
        w->is_open = false;
        TRY(csv_reader_open(&w->reader, rows->dialect, part->file->path, part->file->size_bytes, err));
        w->is_open = true;
    }
    w->part = part;
    TRY(csv_reader_load(&w->reader, part->from, part->to, &lines, err));
    if (!settle_lines(rows, part, lines, &w->reader.line))
        return error_set(err, ASSAY_INTERRUPTED, NULL, "another reader failed");
    if (part->from) return ASSAY_OK;
    struct csv_record header;
    bool found;
    return csv_reader_next(&w->reader, &header, &found, err);
}

static void put_token(struct engine_sink *sink, size_t column, csv_token token, bool is_valid) {
    if (!token.ptr || (!is_valid && str_utf8_error(token) != SIZE_MAX))
        engine_sink_null(sink, column, sink->row_count);
    else
        engine_sink_text(sink, column, sink->row_count, token);
}

static size_t count_byte(struct str s, char c) {
    size_t count = 0;
    for (size_t i = 0; i < s.len; i++) count += s.ptr[i] == c;
    return count;
}

/** The corrupt record's text and, when that is not all, its bytes. */
static void put_corrupt(const struct bronze_rows *rows, struct worker *w, const struct csv_record *record,
                        bool is_valid, size_t tokens, struct engine_sink *sink) {
    size_t at = rows->plan->source_column_count;
    w->corrupt++;
    if (!rows->dialect->is_multi_line && tokens < at && count_byte(record->bytes, rows->dialect->quote) % 2)
        w->half_quotes++;
    if (is_valid) {
        engine_sink_text(sink, at, sink->row_count, record->bytes);
        engine_sink_null(sink, at + 3, sink->row_count);
        return;
    }
    w->has_bad_bytes = true;
    buf_clear(&w->text);
    readable_text(&w->text, record->bytes);
    engine_sink_text(sink, at, sink->row_count, buf_str(&w->text));
    engine_sink_text(sink, at + 3, sink->row_count, record->bytes);
}

static void put_row(const struct bronze_rows *rows, struct worker *w, const struct csv_record *record,
                    struct engine_sink *sink) {
    size_t columns = rows->plan->source_column_count;
    size_t tokens = csv_tokenize(rows->dialect, record->bytes, w->tokens, columns, &w->scratch);
    bool is_valid = str_utf8_error(record->bytes) == SIZE_MAX;
    for (size_t i = 0; i < columns; i++) put_token(sink, i, i < tokens ? w->tokens[i] : (csv_token){0}, is_valid);
    if (tokens != columns || record->is_unclosed || !is_valid) {
        put_corrupt(rows, w, record, is_valid, tokens, sink);
    } else {
        engine_sink_null(sink, columns, sink->row_count);
        engine_sink_null(sink, columns + 3, sink->row_count);
    }
    engine_sink_text(sink, columns + 1, sink->row_count, w->part->file->key);
    engine_sink_int64(sink, columns + 2, sink->row_count, record->line);
    sink->row_count++;
    w->rows++;
}

static void add_findings(struct bronze_rows *rows, struct worker *w) {
    atomic_fetch_add(&rows->findings->row_count, w->rows);
    atomic_fetch_add(&rows->findings->corrupt_count, w->corrupt);
    atomic_fetch_add(&rows->findings->half_quotes, w->half_quotes);
    if (w->has_bad_bytes) atomic_store(&rows->findings->has_bad_bytes, true);
    w->rows = w->corrupt = w->half_quotes = 0;
}

static enum assay_code fill_sink(struct bronze_rows *rows, struct worker *w, struct engine_sink *sink,
                                 struct assay_error *err) {
    while (sink->row_count < sink->capacity) {
        struct csv_record record;
        bool found = false;
        if (w->part) TRY(csv_reader_next(&w->reader, &record, &found, err));
        if (found) {
            put_row(rows, w, &record, sink);
            continue;
        }
        size_t next = atomic_fetch_add(&rows->next, 1);
        if (next >= rows->part_count) {
            w->part = NULL;
            return ASSAY_OK;
        }
        TRY(open_part(rows, w, &rows->parts[next], err));
    }
    return ASSAY_OK;
}

static enum assay_code fill(void *source, void *worker, struct engine_sink *sink, struct assay_error *err) {
    struct bronze_rows *rows = source;
    sink->row_count = 0;
    enum assay_code rc = fill_sink(rows, worker, sink, err);
    if (rc) fail(rows);
    add_findings(rows, worker);
    return rc;
}

/** Cut the files into parts; with multiLine a file is one part. */
static void cut_parts(struct bronze_rows *rows, const struct bronze_file *files, size_t count, struct arena *arena) {
    size_t capacity = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t step = rows->dialect->is_multi_line ? files[i].size_bytes : PART_BYTES;
        for (int64_t from = 0; from < files[i].size_bytes; from += step) {
            int64_t to = from + step < files[i].size_bytes ? from + step : files[i].size_bytes;
            LIST_PUSH(arena, rows->parts, rows->part_count, capacity) =
                (struct part){&files[i], from, to, from == 0 ? 1 : 0};
        }
    }
}

enum assay_code rows_add_source(struct engine *engine, struct str name, const struct plan *plan,
                                const struct csv_dialect *dialect, const struct bronze_file *files, size_t count,
                                int threads, struct bronze_findings *findings, struct arena *arena,
                                struct assay_error *err) {
    static const struct str added[] = {{BRONZE_CORRUPT_RECORD, sizeof BRONZE_CORRUPT_RECORD - 1},
                                       {LINEAGE_SOURCE_FILE, sizeof LINEAGE_SOURCE_FILE - 1},
                                       {LINEAGE_SOURCE_LINE, sizeof LINEAGE_SOURCE_LINE - 1},
                                       {BRONZE_CORRUPT_BYTES, sizeof BRONZE_CORRUPT_BYTES - 1}};
    static const char *const added_types[] = {"VARCHAR", "VARCHAR", "BIGINT", "BLOB"};
    size_t columns = plan->source_column_count;
    struct bronze_rows *rows = ARENA_NEW(arena, struct bronze_rows);
    *rows = (struct bronze_rows){.plan = plan, .dialect = dialect, .findings = findings};
    pthread_mutex_init(&rows->lock, NULL);
    pthread_cond_init(&rows->counted, NULL);
    cut_parts(rows, files, count, arena);
    struct str *names = ARENA_ARRAY(arena, columns + 4, struct str);
    const char **types = ARENA_ARRAY(arena, columns + 4, const char *);
    for (size_t i = 0; i < columns + 4; i++) {
        names[i] = i < columns ? plan->source_columns[i] : added[i - columns];
        types[i] = i < columns ? "VARCHAR" : added_types[i - columns];
    }
    struct engine_source source = {
        .source = rows,
        .column_count = columns + 4,
        .column_names = names,
        .column_types = types,
        .workers_max = (size_t)threads < rows->part_count ? threads : (int)rows->part_count,
        .open_worker = open_worker,
        .fill = fill,
        .close_worker = close_worker,
    };
    return engine_add_source(engine, name, &source, err);
}
