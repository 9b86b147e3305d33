/**
 * What the files of a batch were, and what they are: the list of files in a record of `assay.runs` or in a manifest
 * beside those that lie in the folder.
 */
#include "run/run_int.h"

#include "base/json.h"

#include <stdlib.h>

struct str record_files(const struct landing_batch *batch, struct arena *arena) {
    struct buf text = {0};
    struct json_writer w = {.out = &text};
    json_begin_array(&w);
    for (size_t i = 0; i < batch->file_count; i++) {
        const struct landing_file *f = &batch->files[i];
        json_begin_object(&w);
        json_key(&w, "name");
        json_put_str(&w, f->name);
        json_key(&w, "bytes");
        json_put_int(&w, f->size_bytes);
        json_key(&w, "sha256");
        json_put_str(&w, f->sha256);
        json_key(&w, "modified_us");
        json_put_int(&w, f->modified_us);
        json_end_object(&w);
    }
    json_end_array(&w);
    struct str out = str_copy(arena, buf_str(&text));
    buf_free(&text);
    return out;
}

static int by_name(const void *a, const void *b) {
    return str_cmp(((const struct landing_file *)a)->name, ((const struct landing_file *)b)->name);
}

bool record_read_files(struct str text, struct arena *arena, struct landing_file **out, size_t *count) {
    struct json *root;
    *out = NULL;
    *count = 0;
    if (text.len == 0 || json_parse(text, "assay.runs", &root, NULL)) return false;
    *count = json_count(root);
    *out = ARENA_ARRAY(arena, *count, struct landing_file);
    for (size_t i = 0; i < *count; i++) {
        const struct json *f = json_at(root, i);
        (*out)[i] = (struct landing_file){.name = str_copy(arena, json_str(json_member(f, "name"))),
                                          .size_bytes = json_int(json_member(f, "bytes")),
                                          .modified_us = json_int(json_member(f, "modified_us")),
                                          .sha256 = str_copy(arena, json_str(json_member(f, "sha256")))};
    }
    json_close(&root);
    if (*count) qsort(*out, *count, sizeof **out, by_name);
    return true;
}

bool record_has_same_files(struct str old_files, const struct landing_batch *batch) {
    struct arena arena = {0};
    struct landing_file *old;
    size_t count;
    bool is_same = record_read_files(old_files, &arena, &old, &count) && count == batch->file_count;
    for (size_t i = 0; is_same && i < count; i++)
        is_same = str_eq(old[i].name, batch->files[i].name) && old[i].size_bytes == batch->files[i].size_bytes &&
                  old[i].modified_us == batch->files[i].modified_us;
    arena_reset(&arena);
    return is_same;
}

struct run_changes changes_find(const struct landing_file *old, size_t old_count, const struct landing_batch *batch,
                                struct arena *arena) {
    struct landing_file *was = ARENA_ARRAY(arena, old_count, struct landing_file); /* a manifest may be in any order */
    struct run_changes out = {0};
    for (size_t i = 0; i < old_count; i++) was[i] = old[i];
    if (old_count) qsort(was, old_count, sizeof *was, by_name);
    out.list = ARENA_ARRAY(arena, old_count + batch->file_count, struct run_change);
    for (size_t i = 0, k = 0; i < old_count || k < batch->file_count;) {
        const struct landing_file *now = k < batch->file_count ? &batch->files[k] : NULL;
        int order = i == old_count ? 1 : !now ? -1 : str_cmp(was[i].name, now->name);
        bool is_same = order == 0 && (now->sha256.len == 0 || str_eq(was[i].sha256, now->sha256));
        if (!is_same)
            out.list[out.count++] = (struct run_change){.name = order > 0 ? now->name : was[i].name,
                                                        .old_sha256 = order > 0 ? (struct str){0} : was[i].sha256,
                                                        .new_sha256 = order < 0 ? (struct str){0} : now->sha256,
                                                        .is_later = order > 0,
                                                        .is_gone = order < 0};
        if (order <= 0) i++;
        if (order >= 0) k++;
    }
    return out;
}

struct run_changes record_changes(struct str old_files, const struct landing_batch *batch, struct arena *arena) {
    struct landing_file *old;
    size_t count;
    if (!record_read_files(old_files, arena, &old, &count)) return (struct run_changes){0};
    return changes_find(old, count, batch, arena);
}

void run_print_change(const struct run_change *change, struct buf *out) {
    buf_add_printable(out, change->name);
    buf_printf(out, ": %.*s -> %.*s", STR_ARG(change->is_later ? STR("not there") : change->old_sha256),
               STR_ARG(change->is_gone ? STR("gone") : change->new_sha256));
}
