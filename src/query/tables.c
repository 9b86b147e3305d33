/*
 * The lake's tables by name: `Tables/<schema>/<table>/_delta_log`.
 *
 * 1. A name as it stands is tried first. The lake is listed only when there is no such table: for another spelling of
 * the name, else for the nearest one.
 * 2. Two tables whose names differ only in case are told apart only by their exact names.
 */
#include "query/query_int.h"

#include "plan/plan.h"

/* A long log takes a while to list, and nearly every one has its first commit or a hint. */
static enum assay_code has_log(struct store *store, struct str root, struct arena *arena, bool *out,
                               struct assay_error *err) {
    static const char *const USUAL[] = {"_delta_log/_last_checkpoint", "_delta_log/00000000000000000000.json"};
    struct store_entry *entries, entry;
    size_t count;
    *out = true;
    for (size_t i = 0; i < sizeof USUAL / sizeof USUAL[0]; i++)
        if (store_stat(store, str_path(arena, root, str_of(USUAL[i])), &entry, NULL) == ASSAY_OK) return ASSAY_OK;
    TRY(store_list_flat(store, str_path(arena, root, STR("_delta_log")), arena, &entries, &count, err));
    *out = count > 0;
    return ASSAY_OK;
}

/* `<schema>.<table>` of every table. Entries are sorted, so those of one log follow one another. */
static enum assay_code list_tables(struct store *store, struct arena *arena, struct str **out, size_t *count,
                                   struct assay_error *err) {
    struct store_entry *entries;
    size_t entry_count, capacity = 0;
    *out = NULL;
    *count = 0;
    TRY(store_list(store, STR("Tables"), arena, &entries, &entry_count, err));
    for (size_t i = 0; i < entry_count; i++) {
        struct str schema, table, part, rest = str_split(entries[i].key, '/', &part);
        rest = str_split(str_split(rest, '/', &schema), '/', &table);
        str_split(rest, '/', &part);
        if (!str_eq(part, STR("_delta_log"))) continue;
        struct str name = str_printf(arena, "%.*s.%.*s", STR_ARG(schema), STR_ARG(table));
        if (*count == 0 || !str_eq((*out)[*count - 1], name)) LIST_PUSH(arena, *out, *count, capacity) = name;
    }
    return ASSAY_OK;
}

static enum assay_code find_otherwise(struct store *store, struct str name, struct arena *arena, struct str *root,
                                      struct assay_error *err) {
    struct str *names;
    size_t count, found = SIZE_MAX;
    TRY(list_tables(store, arena, &names, &count, err));
    for (size_t i = 0; i < count; i++) {
        if (!str_eq_nocase(names[i], name)) continue;
        if (found != SIZE_MAX)
            return error_set(err, ASSAY_INVALID, NULL, "%.*s may be %.*s or %.*s; write its exact name", STR_ARG(name),
                             STR_ARG(names[found]), STR_ARG(names[i]));
        found = i;
    }
    if (found != SIZE_MAX) return plan_table_root(names[found], arena, root, err);
    struct str near = str_nearest(name, names, count);
    if (near.len)
        return error_set(err, ASSAY_INVALID, NULL, "the lake has no table %.*s; did you mean %.*s?", STR_ARG(name),
                         STR_ARG(near));
    struct buf known = {0};
    enum { NAMED = 12 };
    for (size_t i = 0; i < count && i < NAMED; i++) buf_printf(&known, "%s%.*s", i ? ", " : "", STR_ARG(names[i]));
    enum assay_code rc =
        error_set(err, ASSAY_INVALID, NULL, "the lake has no table %.*s; there %s %s%s", STR_ARG(name),
                  count == 1 ? "is" : "are", count ? known.data : "none", count > NAMED ? ", ..." : "");
    buf_free(&known);
    return rc;
}

enum assay_code query_table_find(struct store *store, struct str name, struct arena *arena, struct str *root,
                                 struct assay_error *err) {
    bool is_there;
    TRY(plan_table_root(name, arena, root, err));
    TRY(has_log(store, *root, arena, &is_there, err));
    return is_there ? ASSAY_OK : find_otherwise(store, name, arena, root, err);
}
