/**
 * The manifest of a batch that `land` made: `_manifest.json` with the batch id, when it landed, and name, bytes and
 * sha256 of each file. What the files are is always found out from the files; the manifest says what they were.
 */
#include "landing/landing_int.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/time.h"

static void read_files(const struct json *files, struct arena *arena, struct landing_manifest *out) {
    out->files = ARENA_ARRAY(arena, json_count(files), struct landing_file);
    for (size_t i = 0; i < json_count(files); i++) {
        const struct json *file = json_at(files, i);
        struct str name = json_str(json_member(file, "name"));
        if (name.len == 0) continue;
        out->files[out->file_count++] =
            (struct landing_file){.name = str_copy(arena, name),
                                  .size_bytes = json_int(json_member(file, "bytes")),
                                  .sha256 = str_copy(arena, json_str(json_member(file, "sha256")))};
    }
}

void landing_manifest_read(struct store *store, struct str folder, struct arena *arena, struct landing_manifest *out) {
    struct json *root = NULL;
    struct str text, at;
    *out = (struct landing_manifest){0};
    if (store_get(store, str_path(arena, folder, STR(MANIFEST_NAME)), arena, &text, NULL)) return;
    if (json_parse(text, MANIFEST_NAME, &root, NULL)) return;
    out->sha256 = hash_sha256(arena, text);
    out->is_there = !json_get_str(root, "landed_at", &at, NULL) && time_parse_iso(at, &out->landed_at_us);
    if (out->is_there) read_files(json_member(root, "files"), arena, out);
    json_close(&root);
}

struct str manifest_print(const struct landing_batch *batch, struct arena *arena) {
    struct buf text = {0};
    struct json_writer w = {.out = &text};
    json_begin_object(&w);
    json_key(&w, "batch_id");
    json_put_str(&w, batch->id);
    json_key(&w, "landed_at");
    json_put_str(&w, time_iso_ms(arena, batch->landed_at_us));
    json_key(&w, "files");
    json_begin_array(&w);
    for (size_t i = 0; i < batch->file_count; i++) {
        json_begin_object(&w);
        json_key(&w, "name");
        json_put_str(&w, batch->files[i].name);
        json_key(&w, "bytes");
        json_put_int(&w, batch->files[i].size_bytes);
        json_key(&w, "sha256");
        json_put_str(&w, batch->files[i].sha256);
        json_end_object(&w);
    }
    json_end_array(&w);
    json_end_object(&w);
    buf_addc(&text, '\n');
    struct str out = str_copy(arena, buf_str(&text));
    buf_free(&text);
    return out;
}
