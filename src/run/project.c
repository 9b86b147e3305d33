/**
 * The project: assay.yaml and the contracts it names.
 *
 *     lake: ./lake                      folder (relative to assay.yaml) or URL
 *     contracts: a glob such as `*.odcs.yaml` below contracts, or a list of them
 *
 * 1. Every contract file is read; mistakes are gathered, not thrown, so that one command shows them all.
 * 2. A table may have only one contract, and a contract's tables are its own: a batch is replaced by its id, so two
 * contracts that write one table would replace each other's rows. Only bronze may be shared, by contracts that read the
 * same files in the same way.
 */
#include "run/run.h"

#include "base/limits.h"
#include "base/yaml.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CONFIG_NAME "assay.yaml"

static enum assay_code read_file(struct str path, struct arena *arena, struct str *out, struct assay_error *err) {
    char *name = str_c(arena, path);
    FILE *f = fopen(name, "rb");
    if (!f) return error_errno(err, errno, name, "read");
    struct buf text = {0};
    enum assay_code rc = ASSAY_OK;
    size_t n;
    do {
        buf_reserve(&text, 65536);
        n = fread(text.data + text.len, 1, 65536, f);
        text.len += n;
    } while (n > 0 && text.len <= LIMIT_YAML_BYTES);
    if (ferror(f))
        rc = error_errno(err, errno, name, "read");
    else if (text.len > LIMIT_YAML_BYTES)
        rc = error_set(err, ASSAY_LIMIT, name, "larger than %d bytes, the limit for a YAML file", LIMIT_YAML_BYTES);
    else
        *out = str_copy(arena, buf_str(&text));
    fclose(f);
    buf_free(&text);
    return rc;
}

/** The folder at or above `start` that holds assay.yaml. */
static enum assay_code find_folder(struct str start, struct arena *arena, struct str *out, struct assay_error *err) {
    char *real = realpath(str_c(arena, start.len ? start : STR(".")), NULL);
    if (!real) return error_errno(err, errno, str_c(arena, start), "open the folder");
    struct str folder = str_copy(arena, str_of(real));
    free(real);
    for (struct str at = folder;;) {
        struct str config = str_path(arena, at, STR(CONFIG_NAME));
        if (access(str_c(arena, config), F_OK) == 0) {
            *out = at;
            return ASSAY_OK;
        }
        if (at.len <= 1) break;
        while (at.len && at.ptr[at.len - 1] != '/') at.len--;
        if (at.len > 1) at.len--;
    }
    return error_set(err, ASSAY_NOT_FOUND, folder.ptr,
                     "no " CONFIG_NAME
                     " in this folder or above it\nnext: assay init makes one, or go to your project's folder");
}

/** The path as shown: relative to the current folder when it lies below it. */
static struct str shown_path(struct str path, struct arena *arena) {
    char here[4096];
    if (!getcwd(here, sizeof here)) return path;
    struct str prefix = str_printf(arena, "%s/", here);
    return str_starts(path, prefix) ? str_sub(path, prefix.len, path.len) : path;
}

static void complain(struct diagnostics *d, struct arena *arena, const struct yaml_node *node, const char *code,
                     struct str message, const char *help) {
    uint32_t length = node && node->kind == YAML_SCALAR && node->text.len ? (uint32_t)node->text.len : 1;
    diagnostics_add(d, arena,
                    (struct diagnostic){DIAGNOSTIC_ERROR, str_of(code), node ? node->line : 1, node ? node->column : 1,
                                        length, message, str_of(help)});
}

static void check_config_keys(struct project *p, struct arena *arena, const struct yaml_node *root) {
    static const struct str known[] = {{"lake", 4}, {"contracts", 9}};
    for (size_t i = 0; i < root->count; i++) {
        const struct yaml_member *m = &root->members[i];
        if (str_eq(m->key, known[0]) || str_eq(m->key, known[1])) continue;
        struct str near = str_nearest(m->key, known, 2);
        struct yaml_node at = {.kind = YAML_SCALAR, .line = m->line, .column = m->column, .text = m->key};
        complain(&p->diagnostics, arena, &at, "unknown-property",
                 str_printf(arena, "unknown property `%.*s`", STR_ARG(m->key)),
                 near.len ? str_printf(arena, "did you mean `%.*s`?", STR_ARG(near)).ptr
                          : "the properties are lake and contracts");
    }
}

static struct project_file *add_file(struct project *p, struct arena *arena, size_t *capacity, struct str path) {
    struct project_file *file = &LIST_PUSH(arena, p->files, p->file_count, *capacity);
    *file = (struct project_file){.path = path};
    return file;
}

static enum assay_code read_contract(struct project_file *file, struct str path, struct arena *arena,
                                     struct assay_error *err) {
    struct str text;
    TRY(read_file(path, arena, &text, err));
    return contract_parse(text, file->path, arena, &file->contracts, &file->contract_count, &file->diagnostics);
}

/** Files of one pattern, sorted by name. */
static enum assay_code read_pattern(struct project *p, struct arena *arena, size_t *capacity,
                                    const struct yaml_node *node, struct assay_error *err) {
    struct str pattern =
        node->text.len && node->text.ptr[0] == '/' ? node->text : str_path(arena, p->folder, node->text);
    glob_t found = {0};
    int failed = glob(str_c(arena, pattern), 0, NULL, &found);
    enum assay_code rc = ASSAY_OK;
    if (failed == GLOB_NOMATCH)
        complain(&p->diagnostics, arena, node, "no-contracts",
                 str_printf(arena, "no file matches `%.*s`", STR_ARG(node->text)),
                 "assay init writes a first contract into contracts/");
    else if (failed)
        rc = error_set(err, ASSAY_UNAVAILABLE, str_c(arena, pattern), "cannot list the contracts");
    for (size_t i = 0; i < found.gl_pathc && rc == ASSAY_OK; i++) {
        struct str path = str_copy(arena, str_of(found.gl_pathv[i]));
        rc = read_contract(add_file(p, arena, capacity, shown_path(path, arena)), path, arena, err);
    }
    globfree(&found);
    return rc;
}

static enum assay_code read_contracts(struct project *p, struct arena *arena, const struct yaml_node *node,
                                      struct assay_error *err) {
    size_t capacity = 0;
    if (node && node->kind == YAML_SCALAR && node->text.len) return read_pattern(p, arena, &capacity, node, err);
    if (!node || node->kind != YAML_SEQUENCE) {
        complain(&p->diagnostics, arena, node, "contracts-missing", STR("`contracts` must name the contract files"),
                 "for example `contracts: contracts/*.odcs.yaml`");
        return ASSAY_OK;
    }
    for (size_t i = 0; i < node->count; i++) {
        if (node->items[i]->kind == YAML_SCALAR)
            TRY(read_pattern(p, arena, &capacity, node->items[i], err));
        else
            complain(&p->diagnostics, arena, node->items[i], "contracts-missing",
                     STR("a contract pattern must be text"), "");
    }
    return ASSAY_OK;
}

static void read_lake(struct project *p, struct arena *arena, const struct yaml_node *root) {
    const struct yaml_node *lake = yaml_get(root, STR("lake"));
    if (!lake || lake->kind != YAML_SCALAR || lake->text.len == 0) {
        complain(&p->diagnostics, arena, lake ? lake : root, "lake-missing", STR("`lake` must say where the lake is"),
                 "for example `lake: ./lake`");
        return;
    }
    bool is_url = str_find(lake->text, STR("://")) != SIZE_MAX;
    struct str path = lake->text;
    if (str_starts(path, STR("./"))) path = str_sub(path, 2, path.len);
    p->lake = is_url || lake->text.ptr[0] == '/' ? lake->text : str_path(arena, p->folder, path);
}

static void check_twins(struct project *p, struct arena *arena) {
    for (size_t i = 0; i < p->file_count; i++)
        for (size_t j = 0; j < i; j++)
            for (size_t a = 0; a < p->files[i].contract_count; a++)
                for (size_t b = 0; b < p->files[j].contract_count; b++) {
                    const struct contract *x = &p->files[i].contracts[a], *y = &p->files[j].contracts[b];
                    if (x->table.len == 0 || !str_eq_nocase(x->table, y->table)) continue;
                    struct str message = str_printf(arena, "table %.*s has a contract already, %.*s", STR_ARG(x->table),
                                                    STR_ARG(y->path));
                    diagnostics_add(&p->files[i].diagnostics, arena,
                                    (struct diagnostic){DIAGNOSTIC_ERROR, STR("table-twice"), x->place.line,
                                                        x->place.column, 1, message,
                                                        STR("one table, one contract: take one of them out")});
                }
}

/** The contracts read the same files in the same way. */
static bool is_same_source(const struct contract *x, const struct contract *y, struct arena *arena) {
    struct assay_error ignored = {0};
    struct plan *a, *b;
    if (plan_compile(x, arena, &a, &ignored) || plan_compile(y, arena, &b, &ignored)) return true; /* told elsewhere */
    return str_eq(x->source.path, y->source.path) && str_eq(x->source.pattern, y->source.pattern) &&
           str_eq_nocase(a->reader_settings, b->reader_settings);
}

/** Of two contracts, one table that both write. */
static void check_pair(struct project_file *file, const struct contract *x, const struct contract *y,
                       struct arena *arena) {
    static const char *const words[] = {"", "bronze ", "quarantine "};
    const struct str mine[] = {x->table, x->bronze_table, x->quarantine_table};
    const struct str theirs[] = {y->table, y->bronze_table, y->quarantine_table};
    for (size_t i = 0; i < 9; i++) {
        size_t a = i / 3, b = i % 3;
        if (i == 0 || mine[a].len == 0 || !str_eq_nocase(mine[a], theirs[b])) continue;
        bool is_bronze = a == 1 && b == 1;
        if (is_bronze && is_same_source(x, y, arena)) continue;
        struct str message = str_printf(arena, "%stable %.*s is the %stable of %.*s too, %.*s%s", words[a],
                                        STR_ARG(mine[a]), words[b], STR_ARG(y->table), STR_ARG(y->path),
                                        is_bronze ? ", which reads other files, or reads them otherwise" : "");
        struct str help =
            is_bronze ? STR("each would replace the other's batches: name another table with assayBronze, or read the "
                            "same files in the same way")
                      : STR("each would replace the other's rows: give one of them another table");
        diagnostics_add(&file->diagnostics, arena,
                        (struct diagnostic){DIAGNOSTIC_ERROR, STR("table-shared"), x->place.line, x->place.column, 1,
                                            message, help});
    }
}

/** No contract writes into a table of another one. */
static void check_shared(struct project *p, struct arena *arena) {
    for (size_t i = 0; i < p->file_count; i++)
        for (size_t a = 0; a < p->files[i].contract_count; a++)
            for (size_t j = 0; j <= i; j++) {
                size_t count = j < i ? p->files[j].contract_count : a;
                if (p->files[i].diagnostics.error_count || p->files[j].diagnostics.error_count) continue;
                for (size_t b = 0; b < count; b++)
                    check_pair(&p->files[i], &p->files[i].contracts[a], &p->files[j].contracts[b], arena);
            }
}

static void count_mistakes(struct project *p) {
    p->error_count = p->diagnostics.error_count;
    p->warning_count = p->diagnostics.warning_count;
    for (size_t i = 0; i < p->file_count; i++) {
        p->error_count += p->files[i].diagnostics.error_count;
        p->warning_count += p->files[i].diagnostics.warning_count;
    }
}

enum assay_code project_load(struct str start, struct arena *arena, struct project *out, struct assay_error *err) {
    struct yaml_node *root;
    *out = (struct project){0};
    TRY(find_folder(start, arena, &out->folder, err));
    struct str path = str_path(arena, out->folder, STR(CONFIG_NAME));
    out->config = shown_path(path, arena);
    out->diagnostics.path = out->config;
    TRY(read_file(path, arena, &out->diagnostics.text, err));
    TRY(yaml_parse(out->diagnostics.text, str_c(arena, out->config), arena, &root, err));
    if (root->kind != YAML_MAPPING)
        return error_set(err, ASSAY_INVALID, out->config.ptr,
                         "must hold `lake:` and `contracts:`, found something else");
    check_config_keys(out, arena, root);
    read_lake(out, arena, root);
    TRY(read_contracts(out, arena, yaml_get(root, STR("contracts")), err));
    check_twins(out, arena);
    check_shared(out, arena);
    count_mistakes(out);
    return ASSAY_OK;
}

enum assay_code project_load_files(const struct str *paths, size_t count, struct arena *arena, struct project *out,
                                   struct assay_error *err) {
    size_t capacity = 0;
    *out = (struct project){0};
    for (size_t i = 0; i < count; i++)
        TRY(read_contract(add_file(out, arena, &capacity, paths[i]), paths[i], arena, err));
    check_twins(out, arena);
    check_shared(out, arena);
    count_mistakes(out);
    return ASSAY_OK;
}

void project_print_diagnostics(const struct project *project, enum diagnostic_severity least, struct buf *out) {
    diagnostics_print(&project->diagnostics, least, out);
    for (size_t i = 0; i < project->file_count; i++) diagnostics_print(&project->files[i].diagnostics, least, out);
}

static bool refers_to(const struct plan *plan, const struct plan *other) {
    for (size_t k = 0; k < plan->rule_count; k++)
        if (str_eq_nocase(plan->rules[k].reference_table, other->table)) return true;
    return false;
}

/** Move each plan behind those that its references need; rounds are bounded, so a circle only leaves the order as it
 * is. */
static void sort_by_reference(struct plan **plans, size_t count) {
    for (size_t round = 0; round < count; round++)
        for (size_t i = 0; i < count; i++)
            for (size_t j = i + 1; j < count; j++) {
                if (!refers_to(plans[i], plans[j])) continue;
                struct plan *needed = plans[j];
                for (size_t k = j; k > i; k--) plans[k] = plans[k - 1];
                plans[i] = needed;
            }
}

static enum assay_code unknown_table(const struct project *p, struct str name, struct arena *arena,
                                     struct assay_error *err) {
    struct str *names = NULL;
    size_t count = 0, capacity = 0;
    for (size_t i = 0; i < p->file_count; i++)
        for (size_t k = 0; k < p->files[i].contract_count; k++)
            LIST_PUSH(arena, names, count, capacity) = p->files[i].contracts[k].table;
    struct str near = str_nearest(name, names, count);
    if (near.len == 0 && count) near = names[0];
    return error_set(err, ASSAY_INVALID, p->config.ptr, "no contract has the table %.*s%s%.*s%s", STR_ARG(name),
                     near.len ? "; did you mean " : "", STR_ARG(near), near.len ? "?" : "");
}

enum assay_code project_plans(const struct project *project, struct str name, struct arena *arena, struct plan ***out,
                              size_t *count, struct assay_error *err) {
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    if (project->error_count)
        return error_set(err, ASSAY_INVALID, project->config.ptr,
                         "%zu mistake%s in the contracts; nothing was read or written", project->error_count,
                         project->error_count == 1 ? "" : "s");
    for (size_t i = 0; i < project->file_count; i++) {
        for (size_t k = 0; k < project->files[i].contract_count; k++) {
            struct contract *c = &project->files[i].contracts[k];
            struct plan *plan;
            if (name.len && !str_eq_nocase(c->table, name)) continue;
            TRY(plan_compile(c, arena, &plan, err));
            LIST_PUSH(arena, *out, *count, capacity) = plan;
        }
    }
    if (*count == 0) return unknown_table(project, name, arena, err);
    sort_by_reference(*out, *count);
    return ASSAY_OK;
}
