/**
 * Records of a landed file by the line they begin on: where they stand in the file, and their bytes. Nobody stores
 * offsets; they are found by reading the file in the way in which it was loaded, window by window.
 */
#include "bronze/reading.h"

/** The places still to be found, from the front. */
struct search {
    struct bronze_place *places;
    size_t count, at;
    bool is_packed;
    struct arena *arena;
};

/** A record that begins on `line` was read: text [from, from + text.len) of the piece. False: there is nothing left to
 * be found. */
static bool take(struct search *s, int64_t line, struct str text, struct text_piece *piece) {
    while (s->at < s->count && s->places[s->at].line < line) s->at++;
    while (s->at < s->count && s->places[s->at].line == line) {
        struct bronze_place *place = &s->places[s->at++];
        size_t from = (size_t)(text.ptr - piece->data);
        struct buf readable = {0};
        place->is_found = true;
        place->is_packed = s->is_packed;
        place->bytes = str_copy(s->arena, text_piece_bytes(piece, from, from + text.len, &place->offset));
        readable_text(&readable, text, piece->encoding != NULL);
        place->text = str_copy(s->arena, buf_str(&readable));
        buf_free(&readable);
    }
    return s->at < s->count;
}

static enum assay_code search_csv(struct search *s, const struct csv_dialect *dialect, const char *path,
                                  int64_t size_bytes, struct assay_error *err) {
    struct csv_file file;
    struct csv_block block;
    struct csv_record record;
    TRY(csv_file_open(&file, dialect, path, size_bytes, 0, 1, err));
    csv_block_open(&block, dialect, 0, CSV_BLOCK_BYTES);
    enum assay_code rc = ASSAY_OK;
    bool is_looking = true;
    while (is_looking) {
        if ((rc = csv_block_load(&block, &file, err)) || block.stop == 0) break;
        while (is_looking && csv_block_next(&block, &record))
            is_looking = take(s, record.line, record.bytes, &block.text);
    }
    csv_block_close(&block);
    csv_file_close(&file);
    return rc;
}

static enum assay_code search_json(struct search *s, const struct json_settings *settings, const char *path,
                                   int64_t size_bytes, struct assay_error *err) {
    struct json_file file;
    struct json_block block = {0};
    struct json_record record;
    TRY(json_file_open(&file, settings, path, path, size_bytes, err));
    enum assay_code rc = ASSAY_OK;
    bool is_looking = true;
    while (is_looking) {
        if ((rc = json_block_load(&block, &file, CSV_BLOCK_BYTES, err)) || block.stop == 0) break;
        while (is_looking && json_block_next(&block, &record))
            is_looking = take(s, record.line, record.bytes, &block.text);
    }
    json_block_close(&block);
    json_file_close(&file);
    return rc;
}

enum assay_code bronze_locate(const struct plan *plan, const char *path, int64_t size_bytes,
                              struct bronze_place *places, size_t count, struct arena *arena, struct assay_error *err) {
    const struct contract_source *source = &plan->source;
    struct search s = {.places = places, .count = count, .is_packed = packing_of(str_of(path)), .arena = arena};
    if (contract_format_is_typed(source->format))
        return error_set(err, ASSAY_UNSUPPORTED, path,
                         "a Parquet file has no lines of text; the number is that of the row in the file, from 1");
    if (source->format == CONTRACT_JSON) {
        struct json_settings settings = reading_json_settings(source);
        return search_json(&s, &settings, path, size_bytes, err);
    }
    struct csv_dialect dialect;
    TRY(csv_dialect_of(source, &dialect, err));
    return search_csv(&s, &dialect, path, size_bytes, err);
}
