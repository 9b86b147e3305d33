/**
 * Files that match the contract's pattern and lie where no run looks: directly in the entity's folder, in a folder that
 * is no batch folder such as a date, in a batch folder whose id is none. Nobody would miss them until somebody misses
 * their rows, so a run says that they are there.
 */
#include "landing/landing_int.h"

#include <stdlib.h>

enum { SHOWN_FOLDERS = 3, SHOWN_NAMES = 3 };

/** `2026-04-01`, `2026`, `year=2026`: a level that others put above or in place of the batch. */
static bool is_date_level(struct str folder) {
    if (str_find_char(folder, '=') != SIZE_MAX) return true;
    for (size_t i = 0; i < folder.len; i++)
        if ((folder.ptr[i] < '0' || folder.ptr[i] > '9') && folder.ptr[i] != '-' && folder.ptr[i] != '_') return false;
    return folder.len > 0;
}

/** Another entity: a folder of any name that has batch folders of its own. */
static bool is_other_entity(struct str path) {
    struct str first, rest = str_split(path, '/', &first);
    return !is_date_level(first) &&
           (str_starts(rest, STR(BATCH_PREFIX)) || str_find(rest, STR("/" BATCH_PREFIX)) != SIZE_MAX);
}

/** `year=2026/month=04/day=01` -> `2026-04-01`: the values of the folder's levels. Empty when it would be no id. */
static struct str make_id(struct str folder, struct arena *arena) {
    struct buf id = {0};
    while (folder.len) {
        struct str level, value;
        folder = str_split(folder, '/', &level);
        value = str_split(level, '=', &level);
        if (value.len == 0) value = level;
        if (id.len) buf_addc(&id, '-');
        buf_add(&id, value);
    }
    struct str out = plan_batch_check(buf_str(&id), NULL) ? (struct str){0} : str_copy(arena, buf_str(&id));
    buf_free(&id);
    return out;
}

void strays_add(const struct plan *plan, struct landing_zone *zone, size_t *capacity, struct str path,
                struct arena *arena) {
    if (is_other_entity(path)) return;
    struct str name = str_basename(path);
    struct str folder = str_sub(path, 0, path.len > name.len ? path.len - name.len - 1 : 0);
    struct str key = str_path(arena, landing_source(plan, arena), folder);
    struct landing_stray *stray = NULL;
    for (size_t i = zone->stray_count; i > 0 && !stray; i--) /* the last one, mostly */
        if (str_eq(zone->strays[i - 1].folder, key)) stray = &zone->strays[i - 1];
    if (!stray) {
        stray = &LIST_PUSH(arena, zone->strays, zone->stray_count, *capacity);
        *stray = (struct landing_stray){.folder = key, .batch_id = make_id(folder, arena)};
    }
    if ((stray->name_count & (stray->name_count - 1)) == 0) /* room doubles at each power of two */
        stray->names = arena_grow(arena, stray->names, stray->name_count, stray->name_count ? 2 * stray->name_count : 1,
                                  sizeof *stray->names);
    stray->names[stray->name_count++] = name;
}

/** A path as a shell takes it. */
static void print_quoted(struct buf *out, struct str path) {
    buf_addc(out, '\'');
    for (size_t i = 0; i < path.len; i++)
        if (path.ptr[i] == '\'')
            buf_addz(out, "'\\''");
        else
            buf_addc(out, path.ptr[i]);
    buf_addc(out, '\'');
}

static void print_path(struct buf *out, struct store *store, struct str key, struct str name) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:+,@%";
    struct buf path = {0};
    buf_printf(&path, "%.*s/%.*s", STR_ARG(store->root), STR_ARG(key));
    if (name.len) buf_printf(&path, "/%.*s", STR_ARG(name));
    bool is_plain = true;
    for (size_t i = 0; i < path.len; i++) is_plain = is_plain && str_find_char(str_of(plain), path.data[i]) != SIZE_MAX;
    struct buf quoted = {0};
    if (!is_plain) print_quoted(&quoted, buf_str(&path));
    buf_add_printable(out, buf_str(is_plain ? &path : &quoted));
    buf_free(&quoted);
    buf_free(&path);
}

/** What lies in one folder. */
static void print_stray(struct buf *out, const struct landing_stray *stray) {
    buf_addz(out, "\n  ");
    buf_add_printable(out, stray->folder);
    buf_addz(out, "/: ");
    for (size_t i = 0; i < stray->name_count && i < SHOWN_NAMES; i++) {
        if (i) buf_addz(out, ", ");
        buf_add_printable(out, stray->names[i]);
    }
    if (stray->name_count > SHOWN_NAMES) buf_printf(out, " and %zu more", stray->name_count - SHOWN_NAMES);
}

static void print_command(struct buf *out, struct store *store, const struct plan *plan,
                          const struct landing_stray *stray, bool is_entity) {
    buf_printf(out, "\nnext: assay land %.*s ", STR_ARG(plan->table));
    if (is_entity) { /* its own folder holds the batches */
        for (size_t i = 0; i < stray->name_count && i < SHOWN_NAMES; i++) {
            print_path(out, store, stray->folder, stray->names[i]);
            buf_addc(out, ' ');
        }
        if (stray->name_count > SHOWN_NAMES) buf_addz(out, "... ");
    } else {
        print_path(out, store, stray->folder, (struct str){0});
        buf_addc(out, ' ');
    }
    buf_printf(out, "--batch %.*s", STR_ARG(stray->batch_id.len ? stray->batch_id : STR("ID")));
}

static void print_strays(struct buf *out, struct store *store, const struct plan *plan, const struct landing_zone *zone,
                         struct str source) {
    size_t count = 0;
    for (size_t i = 0; i < zone->stray_count; i++) count += zone->strays[i].name_count;
    buf_printf(out, "%zu file%s in no batch folder, so no run reads %s:", count, count == 1 ? " is" : "s are",
               count == 1 ? "it" : "them");
    for (size_t i = 0; i < zone->stray_count && i < SHOWN_FOLDERS; i++) print_stray(out, &zone->strays[i]);
    if (zone->stray_count > SHOWN_FOLDERS)
        buf_printf(out, "\n  and %zu more folders; assay landing list %.*s shows all",
                   zone->stray_count - SHOWN_FOLDERS, STR_ARG(plan->table));
    buf_printf(out,
               "\na delivery lies directly in a folder %.*s/" BATCH_PREFIX
               "<ID>/, without levels for dates; a date can "
               "be the ID, as in " BATCH_PREFIX "2026-03-01",
               STR_ARG(source));
    for (size_t i = 0; i < zone->stray_count && i < SHOWN_FOLDERS; i++)
        print_command(out, store, plan, &zone->strays[i], str_eq(zone->strays[i].folder, source));
    buf_addz(out, "\nthen take the files out of there");
}

/** Batches with files, none of which a run reads. */
static void print_misfits(struct buf *out, const struct plan *plan, const struct landing_zone *zone,
                          struct arena *arena) {
    size_t count = 0;
    for (size_t i = 0; i < zone->batch_count; i++) {
        const struct landing_batch *batch = &zone->batches[i];
        if (!landing_is_unread(batch)) continue;
        if (++count > SHOWN_FOLDERS) continue;
        buf_printf(out, "%sbatch %.*s: none of its %zu files %.*s, so no run reads it: %.*s", out->len ? "\n" : "",
                   STR_ARG(batch->id), batch->left_out_count, STR_ARG(landing_unread_text(plan, arena)),
                   STR_ARG(landing_shown(batch->left_out[0], arena)));
        if (batch->left_out_count > 1) buf_printf(out, " and %zu more", batch->left_out_count - 1);
    }
    if (count > SHOWN_FOLDERS) buf_printf(out, "\nand %zu more batches", count - SHOWN_FOLDERS);
    if (count && plan->source.format == CONTRACT_DELTA)
        buf_addz(out, "\nnext: land the whole folder of the table, or say `format: parquet` in the contract");
    else if (count)
        buf_addz(out, "\nnext: mend the pattern in the contract, or land the files under names that match");
}

bool landing_is_unread(const struct landing_batch *batch) { return batch->file_count == 0 && batch->misfit_count > 0; }

enum assay_code landing_judge(struct store *store, const struct plan *plan, const struct landing_zone *zone,
                              struct assay_error *err) {
    struct arena arena = {0};
    struct buf text = {0};
    struct str source = landing_source(plan, &arena);
    if (zone->stray_count) print_strays(&text, store, plan, zone, source);
    print_misfits(&text, plan, zone, &arena);
    enum assay_code rc = text.len ? error_set(err, ASSAY_REFUSED, str_c(&arena, source), "%s", text.data) : ASSAY_OK;
    buf_free(&text);
    arena_reset(&arena);
    return rc;
}
