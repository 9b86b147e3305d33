/*
 * One file to contracts: tree, shape, identity, then each object of `schema`. Everything is read even after a mistake,
 * so that all of them are reported in one go.
 *
 * 1. A file that is no YAML has one mistake: the first that the parser met.
 * 2. Nothing depends on the machine: no file, no clock, no environment is read.
 */
#include "contract/shape.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* `name:line:column` of yaml_parse. */
static struct mark yaml_place(const char *where) {
    struct mark at = {1, 1, 1};
    const char *column = strrchr(where, ':');
    if (!column || column == where) return at;
    const char *line = column - 1;
    while (line > where && *line != ':') line--;
    if (*line != ':') return at;
    at.line = (uint32_t)strtoul(line + 1, NULL, 10);
    at.column = (uint32_t)strtoul(column + 1, NULL, 10);
    return at;
}

static bool is_repeated_table(const struct contract *list, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (list[index].table.len && str_eq_nocase(list[i].table, list[index].table)) return true;
    return false;
}

static void read_tables(struct reader *r, const struct contract *identity, struct contract **out, size_t *count) {
    const struct yaml_node *schema = list_of(r->root, "schema");
    if (!schema) return;
    if (schema->count == 0)
        report_error(r, mark_member(r, r->root, "schema"), "no-table", STR("describe one table: - name: ..."),
                     "'schema' has no table");
    struct contract *list = ARENA_ARRAY(r->arena, schema->count, struct contract);
    for (size_t i = 0; i < schema->count; i++) {
        r->table = mapping_at(schema, i);
        if (!r->table) continue;
        r->contract = &list[*count];
        r->rule_capacity = r->check_capacity = r->unchecked_capacity = 0;
        *r->contract = *identity;
        read_table(r);
        if (is_repeated_table(list, *count))
            report_error(r, mark_member(r, r->table, "physicalName"), "duplicate-table",
                         STR("give each table a physicalName of its own"), "the table '%.*s' is described twice",
                         STR_ARG(shown(r, r->contract->table)));
        (*count)++;
    }
    *out = list;
}

static void read_file(struct reader *r, struct contract **out, size_t *count) {
    if (r->root->kind != YAML_MAPPING) {
        report_error(r, mark_node(r, r->root), "no-contract", STR("`assay init` writes a first one"),
                     "this is no data contract: expected a mapping with apiVersion, kind, id, version and schema");
        return;
    }
    struct contract identity = {.path = str_copy(r->arena, r->diagnostics->path),
                                .hash = hash_sha256(r->arena, r->diagnostics->text)};
    read_identity(r, &identity);
    shape_check(r, &shape_contract, r->root, "the file");
    read_tables(r, &identity, out, count);
    check_sla_elements(r);
}

enum assay_code contract_parse(struct str text, struct str path, struct arena *arena, struct contract **out,
                               size_t *count, struct diagnostics *diagnostics) {
    *out = NULL;
    *count = 0;
    diagnostics->path = path;
    diagnostics->text = text;
    struct reader r = {.arena = arena, .diagnostics = diagnostics};
    struct yaml_node *root = NULL;
    struct assay_error err = {0};
    if (yaml_parse(text, "contract", arena, &root, &err) != ASSAY_OK) {
        report_error(&r, yaml_place(err.where), "bad-yaml", (struct str){0}, "%s", err.message);
        return ASSAY_OK;
    }
    r.root = root;
    read_file(&r, out, count);
    return ASSAY_OK;
}
