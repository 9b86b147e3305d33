/* Helpers of the unit tests; see test.h. */
#include "support/test.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root_dir[PATH_MAX];

void test_assert_code(enum assay_code expected, enum assay_code actual, const struct assay_error *err, const char *file,
                      int line) {
    if (actual != expected) {
        print_error("expected %s, got %s\n", assay_code_name(expected), assay_code_name(actual));
        if (err && err->code != ASSAY_OK) print_error("%s: %s\n", err->where, err->message);
        _fail(file, line);
    }
    if (actual != ASSAY_OK && err && (err->code != actual || err->message[0] == '\0')) {
        print_error("returned %s, but the error says %s: '%s'\n", assay_code_name(actual), assay_code_name(err->code),
                    err->message);
        _fail(file, line);
    }
}

void test_assert_str(struct str actual, const char *expected, const char *file, int line) {
    if (str_eq(actual, str_of(expected))) return;
    print_error("expected '%s'\n     got '%.*s'\n", expected, STR_ARG(actual));
    _fail(file, line);
}

void test_assert_has(struct str actual, const char *part, const char *file, int line) {
    if (str_find(actual, str_of(part)) != SIZE_MAX) return;
    print_error("no '%s'\nin '%.*s'\n", part, STR_ARG(actual));
    _fail(file, line);
}

void test_assert_err_has(const struct assay_error *err, const char *part, const char *file, int line) {
    if (strstr(err->message, part) || strstr(err->where, part)) return;
    print_error("no '%s'\nin '%s: %s'\n", part, err->where, err->message);
    _fail(file, line);
}

static int remove_entry(const char *path, const struct stat *info, int flag, struct FTW *walk) {
    UNUSED(info);
    UNUSED(flag);
    UNUSED(walk);
    return remove(path);
}

static void remove_root(void) {
    if (getenv("ASSAY_TEST_KEEP")) {
        fprintf(stderr, "kept %s\n", root_dir);
        return;
    }
    nftw(root_dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

const char *test_dir(void) {
    static char paths[256][PATH_MAX + 16];
    static size_t used = 0;

    if (used == 0) {
        const char *tmp = getenv("TMPDIR");
        snprintf(root_dir, sizeof root_dir, "%s/assay-test-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
        if (!mkdtemp(root_dir)) fail_msg("mkdtemp %s: %s", root_dir, strerror(errno));
        atexit(remove_root);
    }
    if (used == sizeof paths / sizeof paths[0]) fail_msg("too many scratch folders");
    char *path = paths[used];
    snprintf(path, sizeof paths[0], "%s/%zu", root_dir, used++);
    if (mkdir(path, 0777) != 0) fail_msg("mkdir %s: %s", path, strerror(errno));
    return path;
}

const char *test_data(struct arena *arena, const char *path) {
    const char *data = getenv("ASSAY_TEST_DATA");
    return str_printf(arena, "%s/%s", data ? data : ASSAY_TEST_DATA, path).ptr;
}

struct str test_read(struct arena *arena, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s: %s", path, strerror(errno));
    struct buf bytes = {0};
    char part[65536];
    size_t n;
    while ((n = fread(part, 1, sizeof part, file)) > 0) buf_add(&bytes, (struct str){part, n});
    if (ferror(file)) fail_msg("%s: %s", path, strerror(errno));
    fclose(file);
    struct str all = str_copy(arena, buf_str(&bytes));
    buf_free(&bytes);
    return all;
}

void test_write(const char *path, struct str bytes) {
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) fail_msg("mkdir %s: %s", part, strerror(errno));
        *slash = '/';
    }
    FILE *file = fopen(path, "wb");
    if (!file) fail_msg("%s: %s", path, strerror(errno));
    size_t written = bytes.len ? fwrite(bytes.ptr, 1, bytes.len, file) : 0;
    if (written != bytes.len || fclose(file) != 0) fail_msg("write %s: %s", path, strerror(errno));
}
