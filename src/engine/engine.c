/*
 * Opening and closing the engine.
 *
 * 1. What can be a start option is one: each SET costs more than all of them together.
 * 2. The lock comes last. After it no statement changes a setting, apart from the two that write.c needs, reads or
 * writes a file outside of the given folders, or loads an extension. DuckDB follows links before it compares folders.
 * 3. The library is the pinned one: its C ABI is more than the header says (vector.c), and so are its statistics
 * (write_stats.c).
 */
#include "engine/engine_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char PINNED_VERSION[] = "v1.5.6";
enum { MEMORY_LEAST = 256 * 1024 * 1024 };

/** Half of all, but no more than 80 % of what is free now. */
static int64_t default_memory(const struct machine *m) {
    int64_t memory = m->memory_total / 2;
    int64_t most = m->memory_free / 10 * 8;
    if (memory > most) memory = most;
    return memory < MEMORY_LEAST ? MEMORY_LEAST : memory;
}

static void set_option(duckdb_config config, const char *name, const char *value) {
    (void)duckdb_set_config(config, name,
                            value); /* an unknown name is caught by the pinned version, wrong values by the open */
}

static duckdb_config make_config(struct engine *engine, const struct engine_options *options) {
    duckdb_config config;
    if (duckdb_create_config(&config) != DuckDBSuccess) return NULL;
    struct machine machine = machine_limits("");
    int64_t memory = options->memory_bytes > 0 ? options->memory_bytes : default_memory(&machine);
    char text[64];
    snprintf(text, sizeof text, "%" PRId64 "B", memory);
    set_option(config, "memory_limit", text);
    engine->threads = options->threads > 0 ? options->threads : machine.threads;
    snprintf(text, sizeof text, "%d", engine->threads);
    set_option(config, "threads", text);
    set_option(config, "preserve_insertion_order", "false");
    set_option(config, "autoload_known_extensions", "false");
    set_option(config, "autoinstall_known_extensions", "false");
    set_option(config, "allow_community_extensions", "false");
    /* the page cache of the system has the files already; a second copy only makes the process larger */
    set_option(config, "enable_external_file_cache", "false");
    return config;
}

static enum assay_code open_database(struct engine *engine, const struct engine_options *options,
                                     struct assay_error *err) {
    duckdb_config config = make_config(engine, options);
    char *text = NULL;
    if (duckdb_open_ext(NULL, &engine->database, config, &text) != DuckDBSuccess) {
        error_set(err, ASSAY_INTERNAL, NULL, "the SQL engine does not start: %s", text ? text : "no message");
        duckdb_free(text);
        duckdb_destroy_config(&config);
        return ASSAY_INTERNAL;
    }
    duckdb_destroy_config(&config);
    if (duckdb_connect(engine->database, &engine->connection) != DuckDBSuccess)
        return error_set(err, ASSAY_INTERNAL, NULL, "the SQL engine does not start: no connection");
    return ASSAY_OK;
}

static enum assay_code lock_down(struct engine *engine, const struct engine_options *options, struct assay_error *err) {
    static atomic_uint opened;
    struct buf sql = {0};
    buf_addz(&sql, "SET TimeZone='UTC'; SET allowed_directories=[");
    for (size_t i = 0; i <= options->folder_count; i++) {
        struct str folder = i < options->folder_count ? options->folders[i] : options->temp_folder;
        if (folder.len == 0) continue; /* DuckDB would take it for the current folder */
        engine_sql_text(&sql, folder);
        buf_addz(&sql, ", ");   /* SQL allows one at the end */
        sql_path(&sql, folder); /* files in it are named by patterns, which are compared before they are resolved */
        buf_addz(&sql, ", ");
    }
    buf_addz(&sql, "]; SET temp_directory=");
    /* DuckDB makes the folder at the first spill, and removes at close what it made */
    struct str spill = str_printf(&engine->arena, "%.*s/engine-%d-%u", STR_ARG(options->temp_folder), (int)getpid(),
                                  atomic_fetch_add(&opened, 1));
    engine_sql_text(&sql, options->temp_folder.len ? spill : STR(""));
    buf_addz(&sql, "; SET enable_external_access=false; SET allowed_configs=['preserve_insertion_order', 'threads']; "
                   "SET lock_configuration=true");
    enum assay_code rc = statement_run(engine, sql.data, NULL, err);
    buf_free(&sql);
    return rc;
}

static void keep_folders(struct engine *engine, const struct engine_options *options) {
    engine->folder_count = options->folder_count;
    engine->folders = ARENA_ARRAY(&engine->arena, options->folder_count, struct str);
    for (size_t i = 0; i < options->folder_count; i++)
        engine->folders[i] = str_copy(&engine->arena, options->folders[i]);
}

const struct str *engine_folders(const struct engine *engine, size_t *count) {
    *count = engine->folder_count;
    return engine->folders;
}

enum assay_code engine_open(const struct engine_options *options, struct engine **out, struct assay_error *err) {
    const char *version = duckdb_library_version();
    if (strcmp(version, PINNED_VERSION) != 0)
        return error_set(err, ASSAY_UNSUPPORTED, "libduckdb",
                         "version %s, but assay is built for %s; install that one beside assay", version,
                         PINNED_VERSION);
    struct engine *engine = memory_alloc(sizeof *engine);
    memset(engine, 0, sizeof *engine);
    pthread_mutex_init(&engine->lock, NULL);
    keep_folders(engine, options);
    enum assay_code rc;
    if ((rc = open_database(engine, options, err))) goto done;
    if ((rc = cast_functions_add(engine, err))) goto done;
    if ((rc = text_functions_add(engine, err))) goto done;
    if ((rc = pattern_functions_add(engine, err))) goto done;
    if ((rc = key_functions_add(engine, err))) goto done;
    row_tests_open(engine);
    if ((rc = lock_down(engine, options, err))) goto done;
    *out = engine;
done:
    if (rc) engine_close(&engine);
    return rc;
}

void engine_close(struct engine **engine) {
    struct engine *e = *engine;
    if (!e) return;
    duckdb_disconnect(&e->connection);
    duckdb_close(&e->database);
    key_functions_close(e);
    row_tests_close(e);
    pthread_mutex_destroy(&e->lock);
    arena_reset(&e->arena);
    free(e);
    *engine = NULL;
}

void engine_interrupt(struct engine *engine) {
    atomic_store(&engine->is_interrupted, true);
    duckdb_interrupt(engine->connection);
}
