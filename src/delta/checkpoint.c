/*
 * A classic checkpoint: the table's state as one Parquet file, or as parts that belong together (protocol:
 * "Checkpoints", "V1 Spec").
 *
 * 1. Columns are read by name and every one may be missing, at any depth; then it is NULL. Types that cannot be cast
 * are CORRUPT.
 * 2. One row is one action. Tombstones are not read: what is not added does not stand.
 * 3. Actions of a checkpoint are older than those of every commit that was replayed before it.
 * 4. A file of this name may hold a V2 checkpoint: then it has a checkpointMetadata row, and it is refused while it has
 * sidecars.
 */
#include "delta/delta_int.h"

#include <string.h>

static const struct str NAMES[] = {
    {"add", 3}, {"metaData", 8}, {"protocol", 8}, {"txn", 3}, {"sidecar", 7},
};
static const struct str TYPES[] = {
    {"STRUCT(path VARCHAR, \"partitionValues\" MAP(VARCHAR, VARCHAR), size BIGINT, \"modificationTime\" BIGINT, stats "
     "VARCHAR, "
     "tags MAP(VARCHAR, VARCHAR), \"deletionVector\" STRUCT(\"storageType\" VARCHAR, \"pathOrInlineDv\" VARCHAR, "
     "\"offset\" BIGINT), "
     "\"baseRowId\" BIGINT, \"defaultRowCommitVersion\" BIGINT, \"clusteringProvider\" VARCHAR)",
     0},
    {"STRUCT(id VARCHAR, \"name\" VARCHAR, description VARCHAR, format STRUCT(provider VARCHAR), \"schemaString\" "
     "VARCHAR, "
     "\"partitionColumns\" VARCHAR[], configuration MAP(VARCHAR, VARCHAR), \"createdTime\" BIGINT)",
     0},
    {"STRUCT(\"minReaderVersion\" BIGINT, \"minWriterVersion\" BIGINT, \"readerFeatures\" VARCHAR[], "
     "\"writerFeatures\" VARCHAR[])",
     0},
    {"STRUCT(\"appId\" VARCHAR, \"version\" BIGINT, \"lastUpdated\" BIGINT)", 0},
    {"STRUCT(path VARCHAR)", 0},
};
enum { COLUMNS = sizeof NAMES / sizeof NAMES[0] };

/* The cells of an add, in the order of the query below. */
enum {
    PATH,
    SIZE,
    MODIFIED,
    STATS,
    KEYS,
    VALUES,
    TAG_KEYS,
    TAG_VALUES,
    VECTOR,
    VECTOR_PLACE,
    VECTOR_OFFSET,
    ROW_ID,
    ROW_VERSION,
    PROVIDER
};
static const char ADD_SQL[] =
    "SELECT \"add\".path, \"add\".size, \"add\".\"modificationTime\", \"add\".stats, "
    "map_keys(\"add\".\"partitionValues\"), "
    "map_values(\"add\".\"partitionValues\"), map_keys(\"add\".tags), map_values(\"add\".tags), "
    "\"add\".\"deletionVector\".\"storageType\", "
    "\"add\".\"deletionVector\".\"pathOrInlineDv\", \"add\".\"deletionVector\".\"offset\", \"add\".\"baseRowId\", "
    "\"add\".\"defaultRowCommitVersion\", \"add\".\"clusteringProvider\" FROM ";

struct reading {
    struct delta_replay *replay;
    struct arena scratch;
    struct buf text;
};

/* Two lists, printed by the engine as JSON arrays, become the members of an object. */
static enum assay_code put_map(struct json_writer *w, const char *name, const struct engine_cell *keys,
                               const struct engine_cell *values, struct assay_error *err) {
    struct json *names = NULL, *texts = NULL;
    enum assay_code rc = json_parse(keys->text, "map keys", &names, err);
    if (rc == ASSAY_OK) rc = json_parse(values->text, "map values", &texts, err);
    if (rc == ASSAY_OK) {
        json_key(w, name);
        json_begin_object(w);
        for (size_t i = 0; i < json_count(names); i++) {
            json_key_str(w, json_str(json_at(names, i)));
            if (json_kind_of(json_at(texts, i)) == JSON_KIND_STRING)
                json_put_str(w, json_str(json_at(texts, i)));
            else
                json_put_null(w);
        }
        json_end_object(w);
    }
    json_close(&names);
    json_close(&texts);
    return rc;
}

static void put_int(struct json_writer *w, const char *name, const struct engine_cell *cell) {
    if (cell->is_null) return;
    json_key(w, name);
    json_put_raw(w, cell->text);
}

/* The members of the action apart from stats, as delta_add_print_rest writes them for a commit. */
static enum assay_code print_rest(struct buf *out, const struct engine_cell *cells, struct assay_error *err) {
    struct json_writer w = {.out = out};
    struct engine_cell none = {.text = STR("[]")};
    json_begin_object(&w);
    json_key(&w, "path");
    json_put_str(&w, cells[PATH].text);
    bool has_values = !cells[KEYS].is_null;
    TRY(put_map(&w, "partitionValues", has_values ? &cells[KEYS] : &none, has_values ? &cells[VALUES] : &none, err));
    put_int(&w, "size", &cells[SIZE]);
    put_int(&w, "modificationTime", &cells[MODIFIED]);
    if (!cells[TAG_KEYS].is_null) TRY(put_map(&w, "tags", &cells[TAG_KEYS], &cells[TAG_VALUES], err));
    put_int(&w, "baseRowId", &cells[ROW_ID]);
    put_int(&w, "defaultRowCommitVersion", &cells[ROW_VERSION]);
    if (!cells[PROVIDER].is_null) json_key(&w, "clusteringProvider"), json_put_str(&w, cells[PROVIDER].text);
    json_end_object(&w);
    return ASSAY_OK;
}

static enum assay_code take_add(void *context, const struct engine_cell *cells, size_t column_count,
                                struct assay_error *err) {
    struct reading *reading = context;
    struct delta_replay *replay = reading->replay;
    (void)column_count;
    arena_reset(&reading->scratch);
    struct delta_file file = {.size_bytes = engine_cell_int(&cells[SIZE], -1),
                              .modified_ms = engine_cell_int(&cells[MODIFIED], 0)};
    struct str path;
    TRY(delta_path_decode(cells[PATH].text, replay->folder, &reading->scratch, &path, err));
    if (file.size_bytes < 0)
        return error_set(err, ASSAY_CORRUPT, replay->where, "the file '%.*s' has no size", STR_ARG(path));
    struct str vector = delta_vector_id(&reading->scratch, cells[VECTOR].text, cells[VECTOR_PLACE].text,
                                        !cells[VECTOR_OFFSET].is_null, engine_cell_int(&cells[VECTOR_OFFSET], 0));
    struct str key =
        vector.len ? str_printf(&reading->scratch, "%.*s%c%.*s", STR_ARG(path), '\n', STR_ARG(vector)) : path;
    if (delta_replay_is_seen(replay, key)) return ASSAY_OK;
    if (vector.len)
        return error_set(
            err, ASSAY_UNSUPPORTED, replay->where,
            "the file '%.*s' has a deletion vector (feature deletionVectors), which assay does not read yet",
            STR_ARG(path));
    buf_clear(&reading->text);
    TRY(print_rest(&reading->text, cells, err));
    file.path = str_copy(replay->arena, path);
    file.stats = str_copy(replay->arena, cells[STATS].text);
    file.raw = str_copy(replay->arena, buf_str(&reading->text));
    delta_replay_add(replay, key, &file);
    return ASSAY_OK;
}

static enum assay_code take_protocol(struct delta_replay *replay, const struct engine_cell *cells,
                                     struct assay_error *err) {
    struct buf text = {0};
    buf_printf(&text,
               "{\"minReaderVersion\":%.*s,\"minWriterVersion\":%.*s,\"readerFeatures\":%.*s,\"writerFeatures\":%.*s}",
               STR_ARG(cells[0].is_null ? STR("null") : cells[0].text),
               STR_ARG(cells[1].is_null ? STR("null") : cells[1].text),
               STR_ARG(cells[2].is_null ? STR("null") : cells[2].text),
               STR_ARG(cells[3].is_null ? STR("null") : cells[3].text));
    struct json *body = NULL;
    enum assay_code rc = json_parse(buf_str(&text), replay->where, &body, err);
    if (rc == ASSAY_OK) rc = delta_protocol_parse(body, replay->where, replay->arena, &replay->snapshot->protocol, err);
    if (rc == ASSAY_OK) replay->has_protocol = true;
    json_close(&body);
    buf_free(&text);
    return rc;
}

static void put_text(struct json_writer *w, const char *name, const struct engine_cell *cell) {
    if (cell->is_null) return;
    json_key(w, name);
    json_put_str(w, cell->text);
}

static enum assay_code print_metadata(struct buf *text, const struct engine_cell *cells, struct assay_error *err) {
    static const char *const MEMBERS[] = {"id", "name", "description", "schemaString"};
    struct engine_cell none = {.text = STR("[]")};
    struct json_writer w = {.out = text};
    json_begin_object(&w);
    for (size_t i = 0; i < 4; i++) put_text(&w, MEMBERS[i], &cells[i]);
    if (!cells[4].is_null) {
        json_key(&w, "format");
        json_begin_object(&w);
        put_text(&w, "provider", &cells[4]);
        json_end_object(&w);
    }
    json_key(&w, "partitionColumns");
    json_put_raw(&w, cells[5].is_null ? none.text : cells[5].text);
    TRY(put_map(&w, "configuration", cells[6].is_null ? &none : &cells[6], cells[6].is_null ? &none : &cells[7], err));
    put_int(&w, "createdTime", &cells[8]);
    json_end_object(&w);
    return ASSAY_OK;
}

static enum assay_code take_metadata(struct delta_replay *replay, const struct engine_cell *cells,
                                     struct assay_error *err) {
    struct buf text = {0};
    struct json *body = NULL;
    enum assay_code rc = print_metadata(&text, cells, err);
    if (rc == ASSAY_OK) rc = json_parse(buf_str(&text), replay->where, &body, err);
    if (rc == ASSAY_OK) rc = delta_metadata_parse(body, replay->where, replay->arena, &replay->snapshot->metadata, err);
    if (rc == ASSAY_OK) replay->has_metadata = true;
    json_close(&body);
    buf_free(&text);
    return rc;
}

/* Few rows: protocol (4 cells), metaData (9), txn (3), sidecars (1), in this order. */
enum { AT_METADATA = 4, AT_TXN = 13, AT_SIDECAR = 16 };
static const char STATE_SQL[] =
    "SELECT protocol.\"minReaderVersion\", protocol.\"minWriterVersion\", protocol.\"readerFeatures\", "
    "protocol.\"writerFeatures\", "
    "\"metaData\".id, \"metaData\".\"name\", \"metaData\".description, \"metaData\".\"schemaString\", "
    "\"metaData\".format.provider, "
    "\"metaData\".\"partitionColumns\", map_keys(\"metaData\".configuration), map_values(\"metaData\".configuration), "
    "\"metaData\".\"createdTime\", txn.\"appId\", txn.\"version\", txn.\"lastUpdated\", sidecar.path FROM ";
static const char STATE_WHERE[] =
    " WHERE protocol.\"minReaderVersion\" IS NOT NULL OR \"metaData\".\"schemaString\" IS NOT NULL "
    "OR txn.\"appId\" IS NOT NULL OR sidecar.path IS NOT NULL";

static enum assay_code take_state(void *context, const struct engine_cell *cells, size_t column_count,
                                  struct assay_error *err) {
    struct reading *reading = context;
    struct delta_replay *replay = reading->replay;
    (void)column_count;
    if (!cells[AT_SIDECAR].is_null)
        return error_set(err, ASSAY_UNSUPPORTED, replay->where,
                         "the checkpoint has sidecars (feature v2Checkpoint), which assay does not read yet");
    if (!cells[0].is_null && !replay->has_protocol) TRY(take_protocol(replay, cells, err));
    if (!cells[AT_METADATA + 3].is_null && !replay->has_metadata) TRY(take_metadata(replay, cells + AT_METADATA, err));
    if (!cells[AT_TXN].is_null) {
        struct delta_txn txn = {str_copy(replay->arena, cells[AT_TXN].text), engine_cell_int(&cells[AT_TXN + 1], -1),
                                engine_cell_int(&cells[AT_TXN + 2], -1)};
        TRY(delta_replay_txn(replay, &txn));
    }
    return ASSAY_OK;
}

static enum assay_code read_rows(struct engine *engine, const struct str *paths, size_t count, struct reading *reading,
                                 struct assay_error *err) {
    struct str types[COLUMNS];
    for (size_t i = 0; i < COLUMNS; i++) types[i] = str_of(TYPES[i].ptr);
    struct buf sql = {0};
    buf_addz(&sql, STATE_SQL);
    delta_sql_parquet(&sql, paths, count, NAMES, types, COLUMNS);
    buf_addz(&sql, STATE_WHERE);
    enum assay_code rc = engine_query_each(engine, buf_str(&sql), take_state, reading, err);
    buf_clear(&sql);
    buf_addz(&sql, ADD_SQL);
    delta_sql_parquet(&sql, paths, count, NAMES, types, 1);
    buf_addz(&sql, " WHERE \"add\".path IS NOT NULL");
    if (rc == ASSAY_OK) rc = engine_query_each(engine, buf_str(&sql), take_add, reading, err);
    buf_free(&sql);
    return rc;
}

enum assay_code delta_checkpoint_read(struct engine *engine, struct store *store,
                                      const struct delta_checkpoint *checkpoint, struct delta_replay *replay,
                                      struct assay_error *err) {
    if (!engine) return error_set(err, ASSAY_INTERNAL, replay->where, "reading a checkpoint needs the engine");
    struct reading reading = {.replay = replay};
    struct str *paths = ARENA_ARRAY(replay->arena, checkpoint->count, struct str);
    for (size_t i = 0; i < checkpoint->count; i++)
        TRY(store_local_path(store, checkpoint->keys[i], replay->arena, &paths[i], err));
    enum assay_code rc = read_rows(engine, paths, checkpoint->count, &reading, err);
    if (rc == ASSAY_INTERNAL) /* the engine could not make sense of the file */
        rc = error_set(err, ASSAY_CORRUPT, NULL, "the checkpoint cannot be read: %s",
                       err ? str_copy(&reading.scratch, str_of(err->message)).ptr : "");
    if (rc && err && !strstr(err->where, replay->where)) error_prepend(err, "%s", replay->where);
    arena_reset(&reading.scratch);
    buf_free(&reading.text);
    return rc;
}
