/*
 * One commit of the log, action by action (protocol: "Actions").
 *
 * 1. Every line is one JSON object with one action; a line that is cut off, is no JSON or lacks a required member is
 * CORRUPT, with its number.
 * 2. At most one metaData and one protocol a commit. Unknown actions and members are passed over: features gate what
 * must be known.
 * 3. A file is identified by its decoded path and its deletion vector; `a%20b` and `a b` are one file.
 * 4. A commit without any line says nothing and is CORRUPT: a file of length zero would hide a version.
 */
#include "delta/delta_int.h"

struct str delta_file_key(struct arena *arena, struct str path, const struct delta_vector *vector) {
    if (!vector) return path;
    struct str id = str_printf(arena, "%.*s\n%.*s%.*s", STR_ARG(path), STR_ARG(vector->storage_type),
                               STR_ARG(vector->path_or_inline));
    return vector->offset < 0 ? id : str_printf(arena, "%.*s@%lld", STR_ARG(id), (long long)vector->offset);
}

/* OK with *out untouched if the member is absent. */
static enum assay_code optional_int(const struct json *body, const char *key, int64_t *out, struct assay_error *err) {
    enum assay_code rc = json_get_int(body, key, out, err);
    return rc == ASSAY_NOT_FOUND ? ASSAY_OK : rc;
}

static enum assay_code optional_str(const struct json *body, const char *key, struct str *out,
                                    struct assay_error *err) {
    enum assay_code rc = json_get_str(body, key, out, err);
    return rc == ASSAY_NOT_FOUND ? ASSAY_OK : rc;
}

static enum assay_code optional_bool(const struct json *body, const char *key, bool *out, struct assay_error *err) {
    enum assay_code rc = json_get_bool(body, key, out, err);
    return rc == ASSAY_NOT_FOUND ? ASSAY_OK : rc;
}

static enum assay_code require(enum assay_code rc, const char *action, const char *key, struct assay_error *err) {
    if (rc != ASSAY_NOT_FOUND) return rc;
    return error_set(err, ASSAY_CORRUPT, NULL, "the action '%s' has no '%s'", action, key);
}

static enum assay_code parse_vector(const struct json *body, struct str path, struct arena *arena,
                                    struct delta_action *out, struct assay_error *err) {
    const struct json *vector = json_member(body, "deletionVector");
    out->key = path;
    if (json_kind_of(vector) == JSON_KIND_NULL) return ASSAY_OK;
    struct str storage = {0}, place = {0};
    TRY(optional_str(vector, "storageType", &storage, err));
    TRY(optional_str(vector, "pathOrInlineDv", &place, err));
    int64_t offset = -1, size = 0, cardinality = 0;
    TRY(optional_int(vector, "offset", &offset, err));
    TRY(optional_int(vector, "sizeInBytes", &size, err));
    TRY(optional_int(vector, "cardinality", &cardinality, err));
    if (storage.len == 0) return ASSAY_OK; /* some writers mean "none" by empty strings */
    if (offset < -1 || size < 0 || cardinality < 0)
        return error_set(err, ASSAY_CORRUPT, NULL, "the deletion vector of '%.*s' has a negative offset, size or count",
                         STR_ARG(path));
    out->has_vector = true;
    out->vector = (struct delta_vector){storage, place, offset, size, cardinality};
    out->key = delta_file_key(arena, path, &out->vector);
    return ASSAY_OK;
}

static enum assay_code parse_file_action(const struct json *body, bool is_add, struct str folder, struct arena *arena,
                                         struct delta_action *out, struct assay_error *err) {
    const char *name = is_add ? "add" : "remove";
    struct str raw = {0};
    TRY(require(json_get_str(body, "path", &raw, err), name, "path", err));
    TRY(delta_path_decode(raw, folder, arena, &out->path, err));
    TRY(parse_vector(body, out->path, arena, out, err));
    out->is_data_change = true;
    TRY(optional_bool(body, "dataChange", &out->is_data_change, err));
    TRY(optional_str(body, "stats", &out->stats, err));
    enum json_kind values = json_kind_of(json_member(body, "partitionValues"));
    if (values != JSON_KIND_OBJECT && (is_add || values != JSON_KIND_NULL))
        return error_set(err, ASSAY_CORRUPT, NULL, "'partitionValues' of '%.*s' is not an object", STR_ARG(raw));
    if (!is_add) return ASSAY_OK;
    TRY(require(json_get_int(body, "size", &out->size_bytes, err), name, "size", err));
    TRY(optional_int(body, "modificationTime", &out->modified_ms, err));
    if (out->size_bytes < 0) return error_set(err, ASSAY_CORRUPT, NULL, "the size of '%.*s' is negative", STR_ARG(raw));
    return ASSAY_OK;
}

void delta_add_print_rest(struct buf *out, const struct json *body) {
    struct json_writer w = {.out = out};
    struct str key;
    const struct json *value;
    json_begin_object(&w);
    for (size_t i = 0; json_member_at(body, i, &key, &value); i++) {
        if (str_eq(key, STR("stats"))) continue;
        struct buf text = {0};
        json_print(&text, value);
        json_key_str(&w, key);
        json_put_raw(&w, buf_str(&text));
        buf_free(&text);
    }
    json_end_object(&w);
}

static enum assay_code parse_features(const struct json *body, const char *key, struct arena *arena, struct str **out,
                                      size_t *count, struct assay_error *err) {
    const struct json *list = json_member(body, key);
    if (json_kind_of(list) == JSON_KIND_NULL) return ASSAY_OK;
    if (json_kind_of(list) != JSON_KIND_ARRAY)
        return error_set(err, ASSAY_CORRUPT, NULL, "'%s' of the protocol is not a list", key);
    *count = json_count(list);
    *out = ARENA_ARRAY(arena, *count, struct str);
    for (size_t i = 0; i < *count; i++) {
        if (json_kind_of(json_at(list, i)) != JSON_KIND_STRING)
            return error_set(err, ASSAY_CORRUPT, NULL, "'%s' of the protocol holds something other than names", key);
        (*out)[i] = str_copy(arena, json_str(json_at(list, i)));
    }
    return ASSAY_OK;
}

enum assay_code delta_protocol_parse(const struct json *body, const char *where, struct arena *arena,
                                     struct delta_protocol *out, struct assay_error *err) {
    int64_t reader = 0, writer = 0;
    struct delta_protocol p = {0};
    TRY(require(json_get_int(body, "minReaderVersion", &reader, err), "protocol", "minReaderVersion", err));
    TRY(require(json_get_int(body, "minWriterVersion", &writer, err), "protocol", "minWriterVersion", err));
    if (reader < 1 || writer < 1 || reader > 1000 || writer > 1000)
        return error_set(err, ASSAY_CORRUPT, where, "the protocol says reader %lld and writer %lld", (long long)reader,
                         (long long)writer);
    p.min_reader = (int)reader;
    p.min_writer = (int)writer;
    TRY(parse_features(body, "readerFeatures", arena, &p.reader_features, &p.reader_feature_count, err));
    TRY(parse_features(body, "writerFeatures", arena, &p.writer_features, &p.writer_feature_count, err));
    *out = p;
    return ASSAY_OK;
}

enum assay_code delta_txn_parse(const struct json *body, struct arena *arena, struct delta_txn *out,
                                struct assay_error *err) {
    struct delta_txn txn = {.last_updated_ms = -1};
    TRY(require(json_get_str(body, "appId", &txn.app_id, err), "txn", "appId", err));
    TRY(require(json_get_int(body, "version", &txn.version, err), "txn", "version", err));
    TRY(optional_int(body, "lastUpdated", &txn.last_updated_ms, err));
    txn.app_id = str_copy(arena, txn.app_id);
    *out = txn;
    return ASSAY_OK;
}

static const struct {
    const char *name;
    enum delta_action_kind kind;
} KINDS[] = {
    {"add", DELTA_ACTION_ADD},
    {"remove", DELTA_ACTION_REMOVE},
    {"metaData", DELTA_ACTION_METADATA},
    {"protocol", DELTA_ACTION_PROTOCOL},
    {"txn", DELTA_ACTION_TXN},
    {"commitInfo", DELTA_ACTION_COMMIT_INFO},
    {"domainMetadata", DELTA_ACTION_DOMAIN},
    {"sidecar", DELTA_ACTION_SIDECAR},
};

static enum assay_code parse_action(const struct json *line, struct str folder, struct arena *arena,
                                    struct delta_action *out, struct assay_error *err) {
    if (json_kind_of(line) != JSON_KIND_OBJECT)
        return error_set(err, ASSAY_CORRUPT, NULL, "the line is not a JSON object");
    *out = (struct delta_action){.kind = DELTA_ACTION_OTHER};
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        const struct json *body = json_member(line, KINDS[i].name);
        if (json_kind_of(body) == JSON_KIND_NULL) continue;
        if (json_kind_of(body) != JSON_KIND_OBJECT)
            return error_set(err, ASSAY_CORRUPT, NULL, "'%s' is not an object", KINDS[i].name);
        if (out->body) return error_set(err, ASSAY_CORRUPT, NULL, "one line holds two actions");
        out->kind = KINDS[i].kind;
        out->body = body;
    }
    if (out->kind == DELTA_ACTION_ADD || out->kind == DELTA_ACTION_REMOVE)
        return parse_file_action(out->body, out->kind == DELTA_ACTION_ADD, folder, arena, out, err);
    return ASSAY_OK;
}

struct line_state {
    struct str folder;
    delta_action_fn *each;
    void *context;
    size_t metadata_count, protocol_count;
};

static enum assay_code take_line(struct line_state *state, struct str line, const char *where, struct arena *scratch,
                                 struct assay_error *err) {
    struct json *tree = NULL;
    TRY(json_parse(line, where, &tree, err));
    struct delta_action action;
    enum assay_code rc = parse_action(tree, state->folder, scratch, &action, err);
    if (rc == ASSAY_OK) {
        state->metadata_count += action.kind == DELTA_ACTION_METADATA;
        state->protocol_count += action.kind == DELTA_ACTION_PROTOCOL;
        if (state->metadata_count > 1 || state->protocol_count > 1)
            rc = error_set(err, ASSAY_CORRUPT, NULL, "the commit has a second metaData or protocol action");
    }
    bool has_place = false;
    if (rc == ASSAY_OK) {
        rc = state->each(state->context, &action, err);
        has_place = rc && err && err->where[0];
    }
    if (rc && !has_place) error_prepend(err, "%s", where);
    json_close(&tree);
    return rc;
}

enum assay_code delta_actions_each(struct str text, const char *where, struct str folder, delta_action_fn *each,
                                   void *context, struct assay_error *err) {
    struct line_state state = {.folder = folder, .each = each, .context = context};
    struct arena scratch = {0};
    enum assay_code rc = ASSAY_OK;
    size_t action_count = 0, number = 0;
    for (struct str rest = text, line; rest.len > 0 && rc == ASSAY_OK;) {
        rest = str_split(rest, '\n', &line);
        number++;
        if (str_trim(line).len == 0) continue;
        arena_reset(&scratch);
        rc = take_line(&state, line, str_printf(&scratch, "%s:%zu", where, number).ptr, &scratch, err);
        action_count++;
    }
    arena_reset(&scratch);
    if (rc == ASSAY_OK && action_count == 0)
        rc = error_set(err, ASSAY_CORRUPT, where,
                       "the commit is empty; a version cannot be skipped. Its writer may have been cut off");
    return rc;
}
