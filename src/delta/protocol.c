/*
 * Which tables assay reads and writes, and what protocol a new metadata needs (protocol: "Protocol Evolution", "Table
 * Features").
 *
 * 1. A reader needs to know every reader feature, a writer every feature; what is not in the table below is refused by
 * name.
 * 2. A feature that is only listed and not in use asks nothing; FEATURES says which property or field metadata puts it
 * to use.
 * 3. Legacy versions mean sets of features: writer 2 appendOnly, invariants; 3 checkConstraints; 4 changeDataFeed,
 * generatedColumns; 5 columnMapping (reader 2); 6 identityColumns; 7 and reader 3 are lists.
 * 4. assay makes (1,2), (1,3) with a CHECK, (2,5) with mapped columns, and lists (3,7) only for timestamp_ntz and
 * deletion vectors. A protocol is never lowered. A list
 * names every feature that the metadata implies, else Spark refuses to read the table.
 */
#include "delta/delta_int.h"

enum support { REFUSED, WHEN_IDLE, FULL }; /* WHEN_IDLE: as long as the table does not use it */

static const struct feature {
    const char *name;
    enum support read, write;
    const char *property, *value; /* puts it to use when the property has the value ("" any); NULL: listed is used */
} FEATURES[] = {
    {"appendOnly", FULL, FULL, NULL, NULL},
    {"invariants", FULL, FULL, NULL, NULL},
    {"checkConstraints", FULL, FULL, NULL, NULL},
    {"changeDataFeed", FULL, FULL, NULL, NULL},
    {"generatedColumns", FULL, FULL, NULL, NULL},    /* columns are looked at by themselves */
    {"allowColumnDefaults", FULL, FULL, NULL, NULL}, /* the same */
    {"identityColumns", FULL, FULL, NULL, NULL},     /* the same */
    {"columnMapping", FULL, FULL, NULL, NULL},
    {"deletionVectors", FULL, FULL, NULL, NULL}, /* files that have one are rewritten without it; none are written */
    {"timestampNtz", FULL, FULL, NULL, NULL},
    {"domainMetadata", FULL, FULL, NULL, NULL}, /* stays in the log untouched */
    {"v2Checkpoint", FULL, FULL, NULL, NULL},   /* a log that can be read without them */
    {"vacuumProtocolCheck", FULL, FULL, NULL, NULL},
    {"rowTracking", FULL, REFUSED, NULL, NULL}, /* once listed every new file needs row ids */
    {"clustering", FULL, FULL, NULL, NULL}, /* new files are not clustered, which any writer may leave to OPTIMIZE */
    {"inCommitTimestamp", FULL, FULL, NULL, NULL},
    {"inCommitTimestamp-preview", FULL, FULL, NULL, NULL},
    {"typeWidening", FULL, FULL, NULL, NULL}, /* assay changes no type; new files have the wider one */
    {"typeWidening-preview", FULL, FULL, NULL, NULL},
    {"checkpointProtection", FULL, FULL, NULL, NULL}, /* log_cleanup.c removes nothing then */
    {"icebergCompatV1", FULL, WHEN_IDLE, "delta.enableIcebergCompatV1", "true"},
    {"icebergCompatV2", FULL, WHEN_IDLE, "delta.enableIcebergCompatV2", "true"},
};

static const struct feature *find_feature(struct str name) {
    for (size_t i = 0; i < sizeof FEATURES / sizeof FEATURES[0]; i++)
        if (str_eq(name, str_of(FEATURES[i].name))) return &FEATURES[i];
    return NULL;
}

static bool is_used(const struct feature *feature, const struct delta_metadata *m) {
    struct str value = delta_property_get(m, str_of(feature->property));
    if (feature->value[0]) return str_eq_nocase(value, str_of(feature->value));
    return value.len > 0 && !str_eq_nocase(value, STR("none"));
}

static enum assay_code check_feature(struct str name, const struct delta_metadata *m, bool is_write,
                                     struct assay_error *err) {
    const char *action = is_write ? "write to" : "read";
    const struct feature *feature = find_feature(name);
    enum support support = !feature ? REFUSED : is_write ? feature->write : feature->read;
    if (support == REFUSED || (support == WHEN_IDLE && is_used(feature, m)))
        return error_set(err, ASSAY_UNSUPPORTED, NULL,
                         "the table uses the feature '%.*s', with which assay cannot %s it\nnext: leave this table to "
                         "Spark, or drop the feature there: ALTER TABLE ... DROP FEATURE %.*s",
                         STR_ARG(name), action, STR_ARG(name));
    return ASSAY_OK;
}

static bool is_listed(const struct str *features, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (str_eq(features[i], str_of(name))) return true;
    return false;
}

enum assay_code delta_protocol_known(const struct delta_protocol *p, struct assay_error *err) {
    if (p->min_reader > 3 || p->min_writer > 7)
        return error_set(err, ASSAY_UNSUPPORTED, NULL, "the table needs reader version %d and writer version %d",
                         p->min_reader, p->min_writer);
    for (size_t i = 0; i < p->reader_feature_count + p->writer_feature_count; i++) {
        struct str name =
            i < p->reader_feature_count ? p->reader_features[i] : p->writer_features[i - p->reader_feature_count];
        if (!find_feature(name))
            return error_set(err, ASSAY_UNSUPPORTED, NULL,
                             "the table uses the feature '%.*s', which assay does not know", STR_ARG(name));
    }
    return ASSAY_OK;
}

bool delta_protocol_lists(const struct delta_protocol *p, const char *feature) {
    return is_listed(p->reader_features, p->reader_feature_count, feature) ||
           is_listed(p->writer_features, p->writer_feature_count, feature);
}

enum assay_code delta_protocol_readable(const struct delta_protocol *p, const struct delta_metadata *m,
                                        struct assay_error *err) {
    if (p->min_reader > 3)
        return error_set(err, ASSAY_UNSUPPORTED, NULL, "the table needs reader version %d; assay knows 1 to 3",
                         p->min_reader);
    for (size_t i = 0; i < p->reader_feature_count && p->min_reader == 3; i++)
        TRY(check_feature(p->reader_features[i], m, false, err));
    enum delta_mapping mapping;
    TRY(delta_mapping_parse(m, &mapping, err));
    bool has_mapping = p->min_reader == 2 || is_listed(p->reader_features, p->reader_feature_count, "columnMapping");
    if (mapping != DELTA_MAPPING_NONE && !has_mapping)
        return error_set(err, ASSAY_UNSUPPORTED, NULL,
                         "the property delta.columnMapping.mode is '%.*s', but the protocol does not have the feature "
                         "columnMapping, and readers differ about what that means",
                         STR_ARG(delta_property_get(m, STR("delta.columnMapping.mode"))));
    return delta_widening_check(&m->schema, err);
}

static enum assay_code check_columns(const struct delta_metadata *m, struct assay_error *err) {
    static const struct {
        const char *key, *what;
    } ACTIVE[] = {
        {"delta.generationExpression", "is a generated column"},
        {"delta.identity.start", "is an identity column"},
    };
    struct arena scratch = {0};
    enum assay_code rc = ASSAY_OK;
    for (size_t i = 0; i < m->schema.count && rc == ASSAY_OK; i++) {
        struct str value;
        for (size_t k = 0; k < sizeof ACTIVE / sizeof ACTIVE[0] && rc == ASSAY_OK; k++)
            if (delta_field_meta(&m->schema.fields[i], ACTIVE[k].key, &scratch, &value))
                rc = error_set(err, ASSAY_UNSUPPORTED, NULL, "the column '%.*s' %s (%.*s), which assay cannot fill",
                               STR_ARG(m->schema.fields[i].name), ACTIVE[k].what, STR_ARG(value));
    }
    arena_reset(&scratch);
    return rc;
}

enum assay_code delta_protocol_writable(const struct delta_protocol *p, const struct delta_metadata *m,
                                        struct assay_error *err) {
    TRY(delta_protocol_readable(p, m, err));
    if (p->min_writer > 7)
        return error_set(err, ASSAY_UNSUPPORTED, NULL, "the table needs writer version %d; assay knows 1 to 7",
                         p->min_writer);
    for (size_t i = 0; i < p->writer_feature_count && p->min_writer == 7; i++)
        TRY(check_feature(p->writer_features[i], m, true, err));
    for (size_t i = 0; i < p->reader_feature_count && p->min_reader == 3; i++)
        TRY(check_feature(p->reader_features[i], m, true, err));
    return check_columns(m, err);
}

/* ---- what a metadata needs ---- */

struct needs {
    bool has_checks, has_not_null, is_append_only, has_ntz, has_feed, has_vectors, has_mapping;
};

static bool is_true(const struct delta_metadata *m, const char *property) {
    return str_eq_nocase(delta_property_get(m, str_of(property)), STR("true"));
}

static struct needs find_needs(const struct delta_metadata *m) {
    struct needs needs = {0};
    size_t index = 0;
    struct str name, text;
    needs.has_checks = delta_constraint_next(m, &index, &name, &text);
    for (size_t i = 0; i < m->schema.count; i++) {
        needs.has_ntz |= delta_field_mentions(&m->schema.fields[i], "timestamp_ntz");
        needs.has_not_null |= !m->schema.fields[i].is_nullable;
    }
    needs.is_append_only = is_true(m, "delta.appendOnly");
    needs.has_feed = is_true(m, "delta.enableChangeDataFeed");
    needs.has_vectors = is_true(m, "delta.enableDeletionVectors");
    enum delta_mapping mapping;
    needs.has_mapping = delta_mapping_parse(m, &mapping, NULL) == ASSAY_OK && mapping != DELTA_MAPPING_NONE;
    return needs;
}

static void list_feature(struct arena *arena, struct str **list, size_t *count, const char *name) {
    if (is_listed(*list, *count, name)) return;
    *list = arena_grow(arena, *list, *count, *count + 1, sizeof **list);
    (*list)[(*count)++] = str_of(name);
}

/* The features that a legacy writer version stands for, when it becomes a list. */
static void list_legacy(struct arena *arena, struct delta_protocol *p) {
    static const struct {
        const char *name;
        int since;
    } LEGACY[] = {{"appendOnly", 2},       {"invariants", 2},    {"checkConstraints", 3}, {"changeDataFeed", 4},
                  {"generatedColumns", 4}, {"columnMapping", 5}, {"identityColumns", 6}};
    for (size_t i = 0; i < sizeof LEGACY / sizeof LEGACY[0] && p->min_writer < 7; i++)
        if (p->min_writer >= LEGACY[i].since)
            list_feature(arena, &p->writer_features, &p->writer_feature_count, LEGACY[i].name);
    if (p->min_reader == 2) list_feature(arena, &p->reader_features, &p->reader_feature_count, "columnMapping");
    p->min_reader = 3;
    p->min_writer = 7;
}

static void need_table_feature(struct arena *arena, struct delta_protocol *p, const char *name) {
    if (p->min_writer < 7 || p->min_reader < 3) list_legacy(arena, p);
    list_feature(arena, &p->reader_features, &p->reader_feature_count, name);
    list_feature(arena, &p->writer_features, &p->writer_feature_count, name);
}

static void need_writer(struct arena *arena, struct delta_protocol *p, int version, const char *name) {
    if (p->min_writer == 7)
        list_feature(arena, &p->writer_features, &p->writer_feature_count, name);
    else if (p->min_writer < version)
        p->min_writer = version;
}

static void need_mapping(struct arena *arena, struct delta_protocol *p) {
    need_writer(arena, p, 5, "columnMapping");
    if (p->min_reader == 3)
        list_feature(arena, &p->reader_features, &p->reader_feature_count, "columnMapping");
    else
        p->min_reader = 2;
}

bool delta_protocol_derive(const struct delta_protocol *base, const struct delta_metadata *m, struct arena *arena,
                           struct delta_protocol *out) {
    struct needs needs = find_needs(m);
    struct delta_protocol p = base ? *base : (struct delta_protocol){.min_reader = 1, .min_writer = 2};
    size_t reader_before = p.reader_feature_count, writer_before = p.writer_feature_count;
    bool is_legacy_before = p.min_writer < 7;
    int version_before = p.min_writer, reader_version_before = p.min_reader;
    if (needs.is_append_only) need_writer(arena, &p, 2, "appendOnly");
    if (needs.has_not_null) need_writer(arena, &p, 2, "invariants");
    if (needs.has_checks) need_writer(arena, &p, 3, "checkConstraints");
    if (needs.has_feed) need_writer(arena, &p, 4, "changeDataFeed");
    if (needs.has_mapping) need_mapping(arena, &p);
    if (needs.has_ntz) need_table_feature(arena, &p, "timestampNtz");
    if (needs.has_vectors) need_table_feature(arena, &p, "deletionVectors");
    *out = p;
    return !base || p.min_writer != version_before || p.min_reader != reader_version_before ||
           is_legacy_before != (p.min_writer < 7) || p.reader_feature_count != reader_before ||
           p.writer_feature_count != writer_before;
}

static void print_features(struct json_writer *w, const char *key, const struct str *features, size_t count) {
    json_key(w, key);
    json_begin_array(w);
    for (size_t i = 0; i < count; i++) json_put_str(w, features[i]);
    json_end_array(w);
}

void delta_protocol_print(struct json_writer *w, const struct delta_protocol *p) {
    json_begin_object(w);
    json_key(w, "minReaderVersion");
    json_put_int(w, p->min_reader);
    json_key(w, "minWriterVersion");
    json_put_int(w, p->min_writer);
    if (p->min_reader == 3) print_features(w, "readerFeatures", p->reader_features, p->reader_feature_count);
    if (p->min_writer == 7) print_features(w, "writerFeatures", p->writer_features, p->writer_feature_count);
    json_end_object(w);
}
