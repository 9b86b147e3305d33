/**
 * The manifest of a batch that `land` made: `_manifest.json` with the batch id, when it landed, and name, bytes and
 * sha256 of each file. It is read only for landed_at; what the files are is always found out from the files.
 */
#include "landing/landing_int.h"

#include "base/json.h"
#include "base/time.h"

int64_t manifest_landed_at(struct store *store, struct str folder) {
    struct arena arena = {0};
    struct json *root = NULL;
    struct str text, at;
    int64_t us = -1;
    if (store_get(store, str_path(&arena, folder, STR(MANIFEST_NAME)), &arena, &text, NULL)) goto done;
    if (json_parse(text, MANIFEST_NAME, &root, NULL)) goto done;
    if (json_get_str(root, "landed_at", &at, NULL) || !time_parse_iso(at, &us)) us = -1;
done:
    json_close(&root);
    arena_reset(&arena);
    return us;
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
