/** detail: what a table is and how it stands. */
#include "cli/commands.h"

#include "base/json.h"
#include "base/time.h"

struct detail {
    const struct delta_snapshot *snapshot;
    struct delta_detail more;
    struct str location;
    struct arena *arena;
};

/* ---- for people ---- */

static void print_name(struct buf *out, const char *name) { buf_printf(out, "%-20s", name); }

static void print_text(struct buf *out, const char *name, struct str value) {
    if (value.len == 0) return;
    print_name(out, name);
    buf_add_printable(out, value);
    buf_addc(out, '\n');
}

static void print_list(struct buf *out, const char *name, const struct str *list, size_t count) {
    if (count == 0) return;
    print_name(out, name);
    for (size_t i = 0; i < count; i++) {
        if (i) buf_addz(out, ", ");
        buf_add_printable(out, list[i]);
    }
    buf_addc(out, '\n');
}

/* `3.4 MB`; exact bytes are in the JSON. */
static struct str size_text(int64_t bytes, struct arena *arena) {
    static const char *const UNITS[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    if (bytes < 1000) return str_printf(arena, "%lld bytes", (long long)bytes);
    double value = (double)bytes / 1000;
    size_t unit = 0;
    for (; value >= 999.95 && unit + 1 < sizeof UNITS / sizeof UNITS[0]; unit++) value /= 1000;
    return str_printf(arena, "%.1f %s", value, UNITS[unit]);
}

static void print_files(const struct detail *d, struct buf *out) {
    const struct delta_snapshot *s = d->snapshot;
    print_name(out, "files");
    buf_printf(out, "%zu, %.*s", s->file_count, STR_ARG(size_text(d->more.size_bytes, d->arena)));
    if (d->more.small_file_count)
        buf_printf(out, "; %zu small (below 25 MB), %.*s", d->more.small_file_count,
                   STR_ARG(size_text(d->more.small_file_bytes, d->arena)));
    buf_addc(out, '\n');
    print_name(out, "rows");
    if (d->more.row_count >= 0)
        buf_printf(out, "%lld\n", (long long)d->more.row_count);
    else
        buf_addz(out, "not known: there are files without statistics\n");
    if (d->more.vector_count == 0) return;
    print_name(out, "deletion vectors");
    buf_printf(out, "%zu files with %lld deleted rows\n", d->more.vector_count, (long long)d->more.deleted_row_count);
}

static void print_checkpoint(const struct detail *d, struct buf *out) {
    print_name(out, "checkpoint");
    if (d->more.checkpoint_version < 0)
        buf_printf(out, "none; every reader reads all %lld commits\n", (long long)d->snapshot->version + 1);
    else
        buf_printf(out, "version %lld, %.*s; %lld commits after it\n", (long long)d->more.checkpoint_version,
                   STR_ARG(time_text(d->arena, d->more.checkpoint_ms * 1000)),
                   (long long)(d->snapshot->version - d->more.checkpoint_version));
}

static void print_rules(const struct detail *d, struct buf *out) {
    const struct delta_metadata *m = &d->snapshot->metadata;
    struct str name, text;
    for (size_t i = 0; i < m->schema.count; i++)
        if (!m->schema.fields[i].is_nullable) print_text(out, "not null", m->schema.fields[i].name);
    for (size_t index = 0; delta_constraint_next(m, &index, &name, &text);)
        print_text(out, "check", str_printf(d->arena, "%.*s: %.*s", STR_ARG(name), STR_ARG(text)));
    for (size_t i = 0; i < m->property_count; i++)
        if (!str_starts(m->properties[i].name, STR("delta.constraints.")))
            print_text(
                out, "property",
                str_printf(d->arena, "%.*s = %.*s", STR_ARG(m->properties[i].name), STR_ARG(m->properties[i].value)));
}

static void print_people(const struct detail *d, struct buf *out) {
    const struct delta_snapshot *s = d->snapshot;
    print_text(out, "table", d->location);
    print_text(out, "id", s->metadata.id);
    print_text(out, "name", s->metadata.name);
    print_text(out, "description", s->metadata.description);
    print_name(out, "version");
    buf_printf(out, "%lld, of %.*s\n", (long long)s->version,
               STR_ARG(time_text(d->arena, d->more.last_modified_ms * 1000)));
    if (s->metadata.created_ms > 0) print_text(out, "created", time_text(d->arena, s->metadata.created_ms * 1000));
    print_files(d, out);
    print_checkpoint(d, out);
    print_list(out, "partitioned by", s->metadata.partition_columns, s->metadata.partition_column_count);
    print_list(out, "clustered by", d->more.clustering, d->more.clustering_count);
    print_name(out, "protocol");
    buf_printf(out, "reader %d, writer %d\n", s->protocol.min_reader, s->protocol.min_writer);
    print_list(out, "features", d->more.features, d->more.feature_count);
    print_rules(d, out);
    struct assay_error why = {0};
    if (delta_writable(s, &why)) print_text(out, "assay", str_printf(d->arena, "only reads it: %s", why.message));
}

/* ---- for programs ---- */

static void put_list(struct json_writer *w, const char *key, const struct str *list, size_t count) {
    json_key(w, key);
    json_begin_array(w);
    for (size_t i = 0; i < count; i++) json_put_str(w, list[i]);
    json_end_array(w);
}

static void put_optional(struct json_writer *w, const char *key, struct str text) {
    json_key(w, key);
    if (text.len)
        json_put_str(w, text);
    else
        json_put_null(w);
}

static void put_known(struct json_writer *w, const char *key, int64_t value) {
    json_key(w, key);
    if (value >= 0)
        json_put_int(w, value);
    else
        json_put_null(w);
}

static void put_time(struct json_writer *w, const char *key, int64_t ms, struct arena *arena) {
    json_key(w, key);
    if (ms > 0)
        json_put_str(w, time_iso_ms(arena, ms * 1000));
    else
        json_put_null(w);
}

static void put_constraints(struct json_writer *w, const struct delta_metadata *m) {
    struct str name, text;
    json_key(w, "constraints");
    json_begin_object(w);
    for (size_t index = 0; delta_constraint_next(m, &index, &name, &text);)
        json_key_str(w, name), json_put_str(w, text);
    json_end_object(w);
    json_key(w, "notNull");
    json_begin_array(w);
    for (size_t i = 0; i < m->schema.count; i++)
        if (!m->schema.fields[i].is_nullable) json_put_str(w, m->schema.fields[i].name);
    json_end_array(w);
}

/* First what DESCRIBE DETAIL has, by its names. */
static void print_json(const struct detail *d, struct buf *out) {
    const struct delta_snapshot *s = d->snapshot;
    const struct delta_metadata *m = &s->metadata;
    struct json_writer w = {.out = out};
    json_begin_object(&w);
    json_key(&w, "format"), json_put_str(&w, STR("delta"));
    json_key(&w, "id"), json_put_str(&w, m->id);
    put_optional(&w, "name", m->name);
    put_optional(&w, "description", m->description);
    json_key(&w, "location"), json_put_str(&w, d->location);
    put_time(&w, "createdAt", m->created_ms, d->arena);
    put_time(&w, "lastModified", d->more.last_modified_ms, d->arena);
    put_list(&w, "partitionColumns", m->partition_columns, m->partition_column_count);
    put_list(&w, "clusteringColumns", d->more.clustering, d->more.clustering_count);
    json_key(&w, "numFiles"), json_put_int(&w, (int64_t)s->file_count);
    json_key(&w, "sizeInBytes"), json_put_int(&w, d->more.size_bytes);
    json_key(&w, "properties");
    json_begin_object(&w);
    for (size_t i = 0; i < m->property_count; i++)
        json_key_str(&w, m->properties[i].name), json_put_str(&w, m->properties[i].value);
    json_end_object(&w);
    json_key(&w, "minReaderVersion"), json_put_int(&w, s->protocol.min_reader);
    json_key(&w, "minWriterVersion"), json_put_int(&w, s->protocol.min_writer);
    put_list(&w, "tableFeatures", d->more.features, d->more.feature_count);
    json_key(&w, "version"), json_put_int(&w, s->version);
    put_known(&w, "numRows", d->more.row_count);
    json_key(&w, "numSmallFiles"), json_put_int(&w, (int64_t)d->more.small_file_count);
    json_key(&w, "smallFilesSizeInBytes"), json_put_int(&w, d->more.small_file_bytes);
    json_key(&w, "numDeletionVectors"), json_put_int(&w, (int64_t)d->more.vector_count);
    json_key(&w, "numDeletedRows"), json_put_int(&w, d->more.deleted_row_count);
    put_known(&w, "checkpointVersion", d->more.checkpoint_version);
    put_time(&w, "checkpointTime", d->more.checkpoint_ms, d->arena);
    put_constraints(&w, m);
    struct assay_error why = {0};
    put_optional(&w, "onlyReadBecause", delta_writable(s, &why) ? str_of(why.message) : (struct str){0});
    json_end_object(&w);
    buf_addc(out, '\n');
}

static enum assay_code show(struct cli *cli, struct session *session, struct str root, bool is_json,
                            struct assay_error *err) {
    struct delta_snapshot *snapshot;
    struct detail detail = {.arena = &cli->arena};
    TRY(delta_snapshot_load(session->store, session->engine, root, DELTA_LATEST, &cli->arena, &snapshot, err));
    TRY(delta_detail(snapshot, &cli->arena, &detail.more, err));
    TRY(store_local_path(session->store, root, &cli->arena, &detail.location, err));
    detail.snapshot = snapshot;
    struct buf text = {0};
    if (is_json)
        print_json(&detail, &text);
    else
        print_people(&detail, &text);
    cli_out(&text);
    buf_free(&text);
    return ASSAY_OK;
}

static enum assay_code run(struct cli *cli, struct assay_error *err) {
    struct project project;
    struct session session;
    struct str root;
    bool is_json;
    TRY(cli_wants_json(cli, &is_json, err));
    TRY(cli_open_lake(cli, true, &project, &session, &root, err));
    enum assay_code rc = show(cli, &session, root, is_json, err);
    session_close(&session);
    return rc;
}

static const struct cli_option options[] = {
    {"json", NULL, "one JSON object, with the names of DESCRIBE DETAIL"},
    {"format", "FORM", "text (default) or json, which is --json"},
    CLI_SESSION_OPTIONS,
    {0},
};

const struct cli_command cmd_detail = {
    .name = "detail",
    .arguments = "TABLE",
    .summary = "what a table is: files, rows, features, constraints, checkpoint",
    .text = "What DESCRIBE DETAIL shows, and what upkeep asks for: small files, deleted rows, the age of the\n"
            "checkpoint, and why assay would not write to the table. Only its log is read.\n",
    .options = options,
    .args_min = 1,
    .args_max = 1,
    .run = run,
};
