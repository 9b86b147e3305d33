/*
 * `_last_checkpoint`, the hint where the newest checkpoint is (protocol: "Last Checkpoint File", "JSON checksum").
 *
 * 1. It is only ever moved forward, and written after its checkpoint is there. One that names a version which the log
 * does not have is replaced: there are readers that believe it and give up.
 * 2. Its checksum is the MD5 of its members in a canonical form: every leaf as `"key"=value`, strings and keys
 * percent-encoded inside their quotes, in order of bytes, with commas between. Spark believes no hint whose checksum is
 * wrong.
 * 3. assay itself reads logs by listing them (log.c). A hint that cannot be read is replaced.
 */
#include "delta/delta_int.h"

#include "base/hash.h"

struct member {
    const char *name; /* in order of bytes */
    int64_t value;
};

/* The version of the hint that is there, or -1: none, or none that could be true. */
static int64_t read_version(struct store *store, struct str root, struct str key, struct arena *arena) {
    struct str text;
    struct json *tree = NULL;
    int64_t version = -1;
    if (store_get(store, key, arena, &text, NULL) != ASSAY_OK) return -1;
    if (json_parse(text, "_last_checkpoint", &tree, NULL) != ASSAY_OK) return -1;
    if (json_get_int(tree, "version", &version, NULL) != ASSAY_OK) version = -1;
    json_close(&tree);
    struct store_entry entry;
    bool is_true =
        version >= 0 && store_stat(store, delta_log_commit_key(arena, root, version), &entry, NULL) == ASSAY_OK;
    return is_true ? version : -1;
}

struct str delta_last_checkpoint_text(const struct delta_checkpoint_report *checkpoint, struct arena *arena) {
    const struct member members[] = {{"numOfAddFiles", checkpoint->file_count},
                                     {"size", checkpoint->action_count},
                                     {"sizeInBytes", checkpoint->size_bytes},
                                     {"version", checkpoint->version}};
    struct buf canonical = {0}, text = {0};
    struct json_writer w = {.out = &text};
    json_begin_object(&w);
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        buf_printf(&canonical, "%s\"%s\"=%lld", i ? "," : "", members[i].name, (long long)members[i].value);
        json_key(&w, members[i].name);
        json_put_int(&w, members[i].value);
    }
    struct str checksum = hash_md5(arena, buf_str(&canonical));
    if (checksum.len) json_key(&w, "checksum"), json_put_str(&w, checksum);
    json_end_object(&w);
    struct str copy = str_copy(arena, buf_str(&text));
    buf_free(&canonical);
    buf_free(&text);
    return copy;
}

enum assay_code delta_last_checkpoint_put(struct store *store, struct str root,
                                          const struct delta_checkpoint_report *checkpoint, struct assay_error *err) {
    struct arena scratch = {0};
    struct str key = str_path(&scratch, root, STR("_delta_log/_last_checkpoint"));
    enum assay_code rc = ASSAY_OK;
    int64_t version = read_version(store, root, key, &scratch);
    if (version < checkpoint->version) {
        /* Hadoop's checksum of the hint that Spark wrote to a local disk, which would not fit the new one */
        rc = store_remove(store, str_path(&scratch, root, STR("_delta_log/._last_checkpoint.crc")), err);
        if (rc == ASSAY_OK) rc = store_put(store, key, delta_last_checkpoint_text(checkpoint, &scratch), err);
    }
    arena_reset(&scratch);
    return rc;
}
