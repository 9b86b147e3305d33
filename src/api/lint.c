/** assay_lint: a project's mistakes as JSON. */
#include <assay/project.h>

#include "base/json.h"
#include "run/run.h"

static void put_member(struct json_writer *w, const char *key, struct str value) {
    json_key(w, key);
    json_put_str(w, value);
}

static void put_count(struct json_writer *w, const char *key, size_t value) {
    json_key(w, key);
    json_put_int(w, (int64_t)value);
}

static void put_diagnostics(struct json_writer *w, const struct diagnostics *d) {
    static const char *const severities[] = {
        [DIAGNOSTIC_ERROR] = "error", [DIAGNOSTIC_WARNING] = "warning", [DIAGNOSTIC_NOTE] = "note"};
    for (size_t i = 0; i < d->count; i++) {
        const struct diagnostic *item = &d->list[i];
        json_begin_object(w);
        put_member(w, "file", d->path);
        put_count(w, "line", item->line);
        put_count(w, "column", item->column);
        put_count(w, "length", item->length);
        put_member(w, "severity", str_of(severities[item->severity]));
        put_member(w, "code", item->code);
        put_member(w, "message", item->message);
        put_member(w, "help", item->help);
        json_end_object(w);
    }
}

static void put_unchecked(struct json_writer *w, const struct project_file *file) {
    for (size_t i = 0; i < file->contract_count; i++)
        for (size_t k = 0; k < file->contracts[i].unchecked_count; k++) {
            json_begin_object(w);
            put_member(w, "file", file->path);
            put_member(w, "table", file->contracts[i].table);
            put_member(w, "what", file->contracts[i].unchecked[k]);
            json_end_object(w);
        }
}

static void print_project(const struct project *project, struct buf *out) {
    struct json_writer w = {.out = out};
    json_begin_object(&w);
    put_count(&w, "files", project->file_count);
    put_count(&w, "errors", project->error_count);
    put_count(&w, "warnings", project->warning_count);
    json_key(&w, "diagnostics");
    json_begin_array(&w);
    put_diagnostics(&w, &project->diagnostics);
    for (size_t i = 0; i < project->file_count; i++) put_diagnostics(&w, &project->files[i].diagnostics);
    json_end_array(&w);
    json_key(&w, "unchecked");
    json_begin_array(&w);
    for (size_t i = 0; i < project->file_count; i++) put_unchecked(&w, &project->files[i]);
    json_end_array(&w);
    json_end_object(&w);
}

enum assay_code assay_lint(const char *folder, char **json, struct assay_error *err) {
    struct arena arena = {0};
    struct project project;
    struct buf text = {0};
    *json = NULL;
    enum assay_code rc = project_load(str_of(folder), &arena, &project, err);
    if (rc == ASSAY_OK) {
        print_project(&project, &text);
        *json = text.data;
        if (project.error_count)
            rc = error_set(err, ASSAY_INVALID, project.config.ptr, "%zu mistake%s in the project", project.error_count,
                           project.error_count == 1 ? "" : "s");
    }
    arena_reset(&arena);
    return rc;
}
