/*
 * New files get their places in the table (protocol: "Data Files", "Change Data Files"; names as Spark's).
 *
 * 1. A name is new: nothing is ever overwritten.
 * 2. Files of a partition lie in folders `column=value`, escaped as Hive does; a column or value whose folder would
 * have a name too long for a file system has the file beside the folders. Only the log says what partition a file is
 * of.
 * 3. Change files lie in `_change_data`, where no reader of the table looks.
 * 4. The log has the path percent-encoded once more.
 */
#include "delta/delta_int.h"

#include "base/hash.h"

#include <string.h>

enum { NAME_BYTES_MAX = 255 };
static const char NULL_FOLDER[] = "__HIVE_DEFAULT_PARTITION__";

static void add_escaped(struct buf *out, struct str text) {
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c < 0x20 || c == 0x7F || strchr("\"#%'*/:=?\\{[]^", c))
            buf_printf(out, "%%%02X", c);
        else
            buf_addc(out, (char)c);
    }
}

/* `a=1/b=2`, or nothing. */
static struct str partition_folder(const struct delta_metadata *m, const struct str *values, struct arena *arena) {
    struct buf path = {0}, part = {0};
    bool is_short = true;
    for (size_t i = 0; i < m->partition_column_count; i++) {
        size_t field = delta_field_find(&m->schema, m->partition_columns[i]);
        buf_clear(&part);
        add_escaped(&part, m->schema.fields[field].physical_name);
        buf_addc(&part, '=');
        if (values[i].ptr)
            add_escaped(&part, values[i]);
        else
            buf_addz(&part, NULL_FOLDER);
        is_short = is_short && part.len <= NAME_BYTES_MAX;
        if (i) buf_addc(&path, '/');
        buf_add(&path, buf_str(&part));
    }
    struct str folder = is_short && path.len ? str_copy(arena, buf_str(&path)) : (struct str){0};
    buf_free(&path);
    buf_free(&part);
    return folder;
}

static enum assay_code publish_files(struct delta_attempt *attempt, const struct delta_new_file *files, size_t count,
                                     bool is_change, struct str **keys, struct assay_error *err) {
    const struct delta_commit *commit = attempt->commit;
    const struct delta_metadata *m = commit->metadata ? commit->metadata : &commit->base->metadata;
    struct arena *arena = attempt->arena;
    struct str *placed = *keys = ARENA_ARRAY(arena, count, struct str);
    for (size_t i = 0; i < count; i++) {
        if (files[i].file.row_count == 0) continue;
        struct str folder = attempt->root, partition = partition_folder(m, files[i].partition_values, arena);
        if (is_change) folder = str_path(arena, folder, STR("_change_data"));
        if (partition.len) folder = str_path(arena, folder, partition);
        placed[i] = str_path(
            arena, folder,
            str_printf(arena, "%s-%05zu-%.*s.zstd.parquet", is_change ? "cdc" : "part", i, STR_ARG(hash_uuid(arena))));
        TRY(store_publish(attempt->store, files[i].file.path, placed[i], err));
    }
    return ASSAY_OK;
}

enum assay_code delta_publish(struct delta_attempt *attempt, struct assay_error *err) {
    const struct delta_commit *commit = attempt->commit;
    TRY(publish_files(attempt, commit->adds, commit->add_count, false, &attempt->add_keys, err));
    return publish_files(attempt, commit->changes, commit->change_count, true, &attempt->change_keys, err);
}

static void undo_files(const struct delta_attempt *attempt, const struct str *keys, size_t count) {
    for (size_t i = 0; keys && i < count; i++)
        if (keys[i].len && store_remove(attempt->store, keys[i], NULL) != ASSAY_OK) return;
}

void delta_publish_undo(const struct delta_attempt *attempt) {
    undo_files(attempt, attempt->add_keys, attempt->commit->add_count);
    undo_files(attempt, attempt->change_keys, attempt->commit->change_count);
}

struct str delta_publish_path(const struct delta_attempt *attempt, struct str key) {
    static const char PLAIN[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~/=";
    struct str relative = str_sub(key, attempt->root.len + 1, key.len);
    struct buf path = {0};
    for (size_t i = 0; i < relative.len; i++) {
        if (relative.ptr[i] && strchr(PLAIN, relative.ptr[i]))
            buf_addc(&path, relative.ptr[i]);
        else
            buf_printf(&path, "%%%02X", (unsigned char)relative.ptr[i]);
    }
    struct str copy = str_copy(attempt->arena, buf_str(&path));
    buf_free(&path);
    return copy;
}
