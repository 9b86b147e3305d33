/*
 * Logs with damage: tables that Spark wrote (tests/data/spark-tables), and those of other writers where delta-golden is
 * found (ASSAY_GOLDEN names its folder, else ../shared/data/delta-golden beside the project). One file of the log, a
 * commit, checkpoint, sidecar, compaction or hint, gets bytes changed, cut, put in twice or out of order; then the
 * table is opened and asked. It opens or fails with an error that names the table; it never crashes, hangs or names a
 * file outside of the table.
 *
 * ASSAY_MUTANTS is how many (under AddressSanitizer 20000, else 1500), ASSAY_MUTANT_SEED another beginning. The mutant
 * that is being tried is in mutant.txt and mutant.bin of the current folder.
 */
#include "delta_test.h"

#include "base/time.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
enum { MUTANTS = 20000 };
#else
enum { MUTANTS = 1500 };
#endif
enum { TABLES_MAX = 400, FILES_MAX = 64, FILE_BYTES_MAX = 256 * 1024, SECONDS_MAX = 10 };

struct log_file {
    struct str path, bytes;
};
struct log_table {
    struct str name, root; /* root is below the lake of the test */
    struct log_file files[FILES_MAX];
    size_t file_count;
    bool has_parquet; /* which the engine reads, and takes ten times as long */
};
static struct log_table *tables;
static size_t table_count;
static uint64_t random_state;

static size_t random_below(size_t limit) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return limit ? (size_t)((random_state >> 11) % limit) : 0;
}

/* ---- tables ---- */

static bool is_folder(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Without fsync, which a store does and 20000 mutants cannot wait for. */
static void put_file(struct str path, struct str bytes) {
    FILE *file = fopen(str_c(&arena, path), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.ptr, 1, bytes.len, file), bytes.len);
    assert_int_equal(fclose(file), 0);
}

static void copy_folder(struct log_table *table, const char *from, const char *to) {
    struct dirent **names;
    int count = scandir(from, &names, NULL, alphasort); /* in order: the same seed, the same mutants */
    for (int i = 0; i < count; i++) {
        const char *name = names[i]->d_name;
        const char *path = text_of("%s/%s", from, name), *copy = text_of("%s/%s", to, name);
        struct stat st;
        bool is_wanted = name[0] != '.' && stat(path, &st) == 0;
        if (is_wanted && S_ISDIR(st.st_mode)) {
            copy_folder(table, path, copy);
        } else if (is_wanted && st.st_size <= FILE_BYTES_MAX && table->file_count < FILES_MAX) {
            struct str bytes = test_read(&arena, path);
            test_write(copy, bytes);
            table->files[table->file_count++] = (struct log_file){str_of(copy), bytes};
            table->has_parquet |= str_ends(str_of(copy), STR(".parquet"));
        }
        free(names[i]);
    }
    if (count >= 0) free(names);
}

static void add_table(const char *folder, const char *name) {
    const char *log = text_of("%s/_delta_log", folder);
    if (!is_folder(log) || table_count == TABLES_MAX) return;
    struct log_table *table = &tables[table_count];
    table->name = str_copy(&arena, str_of(name));
    table->root = str_printf_of("Tables/m/t%zu", table_count);
    copy_folder(table, log, text_of("%s/%s/_delta_log", lake, table->root.ptr));
    if (table->file_count > 0) table_count++;
}

/* Tables lie in folders of their own, at most three levels deep. */
static void add_tables(const char *folder, int depth) {
    struct dirent **names;
    int count = scandir(folder, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *path = text_of("%s/%s", folder, names[i]->d_name);
        if (names[i]->d_name[0] != '.' && is_folder(path)) {
            add_table(path, path);
            if (depth > 0) add_tables(path, depth - 1);
        }
        free(names[i]);
    }
    if (count >= 0) free(names);
}

static void add_golden(void) {
    const char *named = getenv("ASSAY_GOLDEN");
    const char *golden = named ? named : test_data(&arena, "../../../shared/data/delta-golden");
    const char *unpacked = test_dir();
    if (!is_folder(golden)) {
        fprintf(stderr, "delta-golden is not found: only tests/data/spark-tables is mutated\n");
        return;
    }
    const char *command =
        text_of("find '%s' -name '*.tar.zst' ! -name '300k*' -exec tar --zstd -C '%s' -xf {} ';' 2>/dev/null", golden,
                unpacked);
    if (system(command) != 0) fprintf(stderr, "delta-golden cannot be unpacked\n");
    add_tables(golden, 2);
    add_tables(unpacked, 2);
}

/* ---- mutants ---- */

static const char *const NASTY[] = {
    "null",
    "-1",
    "99999999999999999999",
    "9223372036854775807",
    "1e999",
    "\"\"",
    "{}",
    "[]",
    "..",
    "%2e%2e/",
    "/etc/passwd",
    "file:///etc/passwd",
    "s3://b/k",
    "\\u0000",
    "\xff\xfe",
    "true",
    "[[[[[[[[[[[[[[[[",
    "{\"a\":{\"a\":{\"a\":",
    "\n",
    "}\n{",
};

static void insert(struct buf *b, size_t at, struct str bytes) {
    struct buf tail = {0};
    buf_add(&tail, (struct str){b->data + at, b->len - at});
    b->len = at;
    buf_add(b, bytes);
    buf_add(b, buf_str(&tail));
    buf_free(&tail);
}

static void erase(struct buf *b, size_t at, size_t length) {
    memmove(b->data + at, b->data + at + length, b->len - at - length + 1);
    b->len -= length;
}

/* A place that matters: in JSON often right after a `:` or a quote. */
static size_t random_place(const struct buf *b) {
    size_t at = random_below(b->len + 1);
    if (random_below(2)) return at;
    const char *found = b->len > at ? memchr(b->data + at, random_below(2) ? ':' : '"', b->len - at) : NULL;
    return found ? (size_t)(found - b->data) + 1 : at;
}

static struct str random_piece(const struct buf *b) {
    size_t from = random_below(b->len + 1), length = random_below(random_below(3) ? 16 : 4096);
    if (length > b->len - from) length = b->len - from;
    return str_copy(&arena, (struct str){b->data + from, length});
}

static void mutate(struct buf *b) {
    size_t at = random_place(b);
    struct str piece = random_piece(b);
    switch (random_below(8)) {
    case 0: /* a bit */
        if (at < b->len) b->data[at] = (char)(b->data[at] ^ (1 << random_below(8)));
        return;
    case 1: /* a byte */
        if (at < b->len) b->data[at] = (char)random_below(256);
        return;
    case 2: /* cut off */
        erase(b, at, b->len - at);
        return;
    case 3: /* a piece gone */
        erase(b, at, piece.len > b->len - at ? b->len - at : piece.len);
        return;
    case 4: /* a piece twice, or elsewhere */
        insert(b, at, piece);
        return;
    case 5: /* a piece over another */
        for (size_t i = 0; i < piece.len && at + i < b->len; i++) b->data[at + i] = piece.ptr[i];
        return;
    case 6: /* something in the place of something */
        erase(b, at, random_below(4) > b->len - at ? 0 : random_below(2) && at < b->len ? 1 : 0);
        insert(b, at, str_of(NASTY[random_below(sizeof NASTY / sizeof NASTY[0])]));
        return;
    default: /* the whole twice */
        insert(b, b->len, str_copy(&arena, buf_str(b)));
        return;
    }
}

/* ---- what a mutant is asked ---- */

/* What is read lies in the lake; a file outside of it may be named in the log, and then the table is not read. */
static void ask_snapshot(const struct delta_snapshot *t) {
    struct assay_error err = {0};
    struct buf sql = {0};
    size_t *files, count;
    struct delta_range ranges[] = {{STR("id"), STR("1"), STR("2")}, {STR("value"), STR("a"), {0}}};
    bool is_outside = false;
    for (size_t i = 0; i < t->file_count; i++) {
        struct str path = t->files[i].path;
        assert_true(str_find(path, STR("/../")) == SIZE_MAX && !str_starts(path, STR("../")));
        is_outside |= str_starts(path, STR("/")) && !str_starts(path, str_of(lake));
        delta_file_is_all(t, i, STR("value"), STR("a"));
    }
    if (delta_writable(t, &err) != ASSAY_OK) assert_true(err.message[0] != '\0');
    assert_ok(delta_prune(t, ranges, 2, &arena, &files, &count, &err), &err);
    assert_true(count <= t->file_count);
    enum assay_code rc = delta_scan_sql(t, NULL, 0, true, &arena, &sql, &err);
    if (rc != ASSAY_OK) assert_true(err.message[0] != '\0');
    assert_false(rc == ASSAY_OK && is_outside);
    buf_free(&sql);
}

static void ask_table_of(const struct log_table *table) {
    struct assay_error err = {0};
    struct delta_snapshot *t = NULL;
    struct delta_history_entry *entries;
    size_t count;
    int64_t version = random_below(4) ? DELTA_LATEST : (int64_t)random_below(6);
    enum assay_code rc = delta_snapshot_load(store, engine, table->root, version, &arena, &t, &err);
    if (rc == ASSAY_OK) {
        ask_snapshot(t);
    } else {
        assert_true(err.message[0] != '\0');
        if (!strstr(err.where, table->root.ptr)) fail_msg("no table in '%s: %s'", err.where, err.message);
        assert_int_not_equal(rc, ASSAY_INTERNAL);
    }
    if (random_below(8) == 0 && delta_history(store, table->root, 20, &arena, &entries, &count, &err) != ASSAY_OK)
        assert_true(err.message[0] != '\0');
}

static const struct log_table *random_table(void) {
    for (;;) {
        const struct log_table *table = &tables[random_below(table_count)];
        if (!table->has_parquet || random_below(10) == 0) return table;
    }
}

static void try_mutant(unsigned long number) {
    const struct log_table *table = random_table();
    const struct log_file *file = &table->files[random_below(table->file_count)];
    struct buf bytes = {0};
    struct arena kept = arena;
    arena = (struct arena){0}; /* what belongs to the mutant goes with it */
    buf_add(&bytes, file->bytes);
    for (size_t changes = 1 + random_below(3); changes > 0; changes--) mutate(&bytes);
    put_file(STR("mutant.txt"), str_printf_of("mutant %lu: %s of %s\n", number, file->path.ptr, table->name.ptr));
    put_file(STR("mutant.bin"), buf_str(&bytes));
    put_file(file->path, buf_str(&bytes));
    double started = time_monotonic_s();
    ask_table_of(table);
    if (time_monotonic_s() - started > SECONDS_MAX) fail_msg("a mutant took too long; see mutant.txt");
    put_file(file->path, file->bytes);
    buf_free(&bytes);
    arena_reset(&arena);
    arena = kept;
}

static unsigned long number_of(const char *variable, unsigned long otherwise) {
    const char *text = getenv(variable);
    return text ? strtoul(text, NULL, 10) : otherwise;
}

static void test_mutants(void **state) {
    UNUSED(state);
    unsigned long mutants = number_of("ASSAY_MUTANTS", MUTANTS), seed = number_of("ASSAY_MUTANT_SEED", 1);
    tables = calloc(TABLES_MAX, sizeof *tables);
    assert_non_null(tables);
    add_tables(test_data(&arena, "spark-tables"), 2);
    assert_in_range(table_count, 20, TABLES_MAX);
    add_golden();
    random_state = 0x9e3779b97f4a7c15u ^ (seed << 20);
    double started = time_monotonic_s();
    for (unsigned long i = 0; i < mutants; i++) try_mutant(i);
    fprintf(stderr, "%lu mutants of %zu tables in %.0f s, seed %lu\n", mutants, table_count,
            time_monotonic_s() - started, seed);
    remove("mutant.txt");
    remove("mutant.bin");
    free(tables);
}

TEST_MAIN(LAKE_TEST(test_mutants))
