/*
 * Any bytes are records of JSON: each byte in one of them or in a gap of what may stand between records, in order; the
 * same ones whatever the size of the blocks. What another reader takes for an object is never broken, and what is good
 * is made of the record's own bytes. The first byte chooses the settings.
 */
#include "base/json.h"
#include "base/json_path.h"
#include "bronze/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_so) {
    if (!is_so) abort();
}

static uint64_t mix(uint64_t sum, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) sum = (sum ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return sum;
}

/** A value is a piece of the record, or text that was decoded. */
static void check_value(struct str record, struct str value) {
    bool is_piece = str_find(record, value) != SIZE_MAX;
    bool has_escape = str_find_char(record, '\\') != SIZE_MAX;
    check((is_piece || has_escape) && str_utf8_error(value) == SIZE_MAX);
}

static uint64_t check_record(struct json_reader *reader, const struct json_record *r) {
    struct json *other = NULL;
    enum json_fault fault = json_reader_read(reader, r->bytes, r->is_valid);
    uint64_t sum = mix(1, &fault, sizeof fault);
    check(r->is_valid || fault != JSON_GOOD ||
          reader->unknown_count); /* of an unknown key only the name is looked at */
    for (size_t i = 0; i < reader->columns->count; i++) {
        if (!reader->values[i].ptr) continue;
        check(fault != JSON_BROKEN);
        check_value(r->bytes, reader->values[i]);
        sum = mix(sum, reader->values[i].ptr, reader->values[i].len);
    }
    for (size_t i = 0; i < reader->unknown_count; i++) check_value(r->bytes, reader->unknown[i]);
    if (json_parse(r->bytes, "record", &other, NULL) == ASSAY_OK)
        check(json_kind_of(other) != JSON_KIND_OBJECT || fault != JSON_BROKEN);
    json_close(&other);
    return sum;
}

/** What stands between records. */
static void check_gap(const struct json_settings *s, struct str file, size_t from, size_t to) {
    const char *between = s->is_multi_line ? " \t\r\n,[]" : " \t\r\n";
    for (size_t i = from; i < to; i++) check(file.ptr[i] && strchr(between, file.ptr[i]));
}

/** Read all of the file in blocks of about this size; 0: it is refused. */
static uint64_t read_all(const struct json_settings *s, int fd, struct str file, size_t block_bytes,
                         struct json_reader *reader) {
    char path[64];
    struct json_file f;
    struct json_block b = {0};
    struct json_record r;
    struct assay_error err;
    uint64_t sum = 1;
    size_t covered = str_starts(file, STR("\xEF\xBB\xBF")) ? 3 : 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    enum assay_code rc = json_file_open(&f, s, path, path, (int64_t)file.len, &err);
    check(rc == ASSAY_OK || rc == ASSAY_REFUSED);
    if (rc) return 0;
    do {
        int64_t base = f.offset;
        rc = json_block_load(&b, &f, block_bytes, &err);
        check(rc == ASSAY_OK || rc == ASSAY_REFUSED);
        while (rc == ASSAY_OK && json_block_next(&b, &r)) {
            size_t at = (size_t)base + (size_t)(r.bytes.ptr - b.text.data);
            check(at >= covered && at + r.bytes.len <= file.len && r.bytes.len > 0);
            check(memcmp(r.bytes.ptr, file.ptr + at, r.bytes.len) == 0);
            check_gap(s, file, covered, at);
            covered = at + r.bytes.len;
            sum = mix(mix(sum, &r.line, sizeof r.line), &(uint64_t){check_record(reader, &r)}, sizeof sum);
        }
    } while (rc == ASSAY_OK && b.stop);
    if (rc == ASSAY_OK) check_gap(s, file, covered, file.len);
    json_block_close(&b);
    json_file_close(&f);
    return rc ? 0 : sum;
}

static void find_paths(struct str json) {
    static const char *const texts[] = {"$", "$.a", "$[0]", "$.a[1].b", "$['a']['b']"};
    if (str_utf8_error(json) != SIZE_MAX) return;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct json_path *path;
        struct buf out = {0};
        check(json_path_open(str_of(texts[i]), &path, NULL) == ASSAY_OK);
        bool is_found = json_path_find(path, json, &out);
        check(str_utf8_error(buf_str(&out)) == SIZE_MAX && (is_found || out.len == 0));
        buf_free(&out);
        json_path_close(&path);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    struct str file = {(const char *)data + 1, size - 1}, names[] = {{"a", 1}, {"id", 2}, {"Name", 4}};
    struct json_settings s = {(data[0] & 1) != 0, (size_t)1 << (data[0] >> 3), STR("UTF-8")};
    struct plan plan = {.source_columns = names, .source_column_count = 3};
    struct bronze_columns columns;
    struct arena arena = {0};
    struct json_reader reader;
    int fd = memfd_create("json", 0);
    check(fd >= 0 && write(fd, file.ptr, file.len) == (ssize_t)file.len);
    columns_open(&columns, &plan, &arena);
    json_reader_open(&reader, &columns);
    uint64_t whole = read_all(&s, fd, file, 1 + file.len, &reader);
    check(read_all(&s, fd, file, 1 + file.len / 7, &reader) == whole);
    check(read_all(&s, fd, file, 1, &reader) == whole);
    find_paths(file);
    json_reader_close(&reader);
    arena_reset(&arena);
    close(fd);
    return 0;
}
