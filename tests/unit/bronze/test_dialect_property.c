/*
 * Random files under random dialects and encodings: no byte is lost or made up (support/csv_property.h), and the rows
 * do not depend on the size of the blocks or on how many threads read them.
 */
#include "bronze_test.h"

#include "support/csv_property.h"

#include <pthread.h>

static struct arena arena;
static uint64_t random_state = 88172645463325252u;

static size_t random_below(size_t limit) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)(random_state % limit);
}

/** Pieces that mean something to some dialect, as UTF-8. */
static const char *const PIECES[] = {"\"",  "'",  "\\", ",", "||", "|",        "\t",           "\xC2\xA6", ";",
                                     "aab", "a",  "::", ":", " ",  "\n",       "\n",           "\r\n",     "\r",
                                     "#",   "--", "NA", "-", "x",  "\xC3\xBC", "\xE8\xA1\xA8", "\n\n"};

/** A random file; every second unit of UTF-16 is zero, so that it reads as text. */
static struct str random_file(const struct csv_dialect *d) {
    struct buf out = {0};
    const struct encoding *e = encoding_find(d->encoding);
    size_t unit = e->unit_bytes;
    bool is_big = str_ends(e->name, STR("BE"));
    if (str_eq(e->name, STR("UTF-16"))) buf_add(&out, STR("\xFF\xFE"));
    for (size_t n = random_below(120); n; n--) {
        const char *piece = PIECES[random_below(sizeof PIECES / sizeof PIECES[0])];
        for (; *piece; piece++) {
            if (unit == 2 && is_big) buf_addc(&out, '\0');
            buf_addc(&out, *piece);
            if (unit == 2 && !is_big) buf_addc(&out, '\0');
        }
        if (random_below(40) == 0) buf_addc(&out, (char)random_below(256));
    }
    struct str bytes = str_copy(&arena, buf_str(&out));
    buf_free(&out);
    return bytes;
}

static void test_no_byte_is_lost(void **state) {
    UNUSED(state);
    const char *path = str_c(&arena, str_printf(&arena, "%s/property.csv", test_dir()));
    int read = 0;
    for (int round = 0; round < 4000; round++) {
        unsigned char choice[4];
        for (size_t i = 0; i < sizeof choice; i++) choice[i] = (unsigned char)random_below(256);
        if (round % 2) choice[1] &= 7; /* UTF-8 */
        struct csv_dialect d = csv_dialect_of_bytes(choice);
        struct str file = random_file(&d);
        unlink(path);
        test_write(path, file);
        uint64_t sum = csv_check_reading(&d, file, path, CSV_BLOCK_BYTES);
        for (int i = 0; i < 3; i++)
            assert_true(csv_check_reading(&d, file, path, 1 + random_below(file.len + 2)) == sum);
        read += sum != 0;
    }
    assert_true(read > 3500); /* the others prove another encoding */
}

/* ---- threads ---- */

struct reader {
    const struct csv_dialect *dialect;
    struct blocks *blocks;
    size_t block_bytes;
    uint64_t sum; /* of all records, whatever the order */
    int64_t records;
};

static void *read_blocks(void *context) {
    struct reader *r = context;
    struct csv_block b;
    struct csv_record record;
    struct assay_error err = {0};
    const struct bronze_file *file;
    csv_block_open(&b, r->dialect, 4, r->block_bytes);
    for (;;) {
        CSV_CHECK(blocks_next(r->blocks, &b, &file, &err) == ASSAY_OK);
        if (!file) break;
        while (csv_block_next(&b, &record)) {
            uint64_t sum =
                csv_check_mix(csv_check_mix(1, file->key.ptr, file->key.len), &record.line, sizeof record.line);
            sum = csv_check_mix(sum, record.bytes.ptr, record.bytes.len);
            for (size_t i = 0; i < record.token_count && i < 4; i++)
                sum = csv_check_mix(sum, b.tokens[i].len ? b.tokens[i].ptr : "", b.tokens[i].len);
            r->sum += sum;
            r->records++;
        }
    }
    csv_block_close(&b);
    return NULL;
}

static void read_with(const struct csv_dialect *d, const struct bronze_file *files, size_t count, size_t threads,
                      size_t block_bytes, struct reader *total) {
    struct reader readers[4];
    pthread_t ids[4];
    struct blocks *blocks = blocks_open(d, files, count);
    for (size_t i = 0; i < threads; i++) {
        readers[i] = (struct reader){.dialect = d, .blocks = blocks, .block_bytes = block_bytes};
        assert_int_equal(pthread_create(&ids[i], NULL, read_blocks, &readers[i]), 0);
    }
    *total = (struct reader){0};
    for (size_t i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        total->sum += readers[i].sum;
        total->records += readers[i].records;
    }
    blocks_close(&blocks);
}

static void test_threads(void **state) {
    UNUSED(state);
    const char *folder = test_dir();
    for (int round = 0; round < 60; round++) {
        unsigned char choice[4] = {(unsigned char)(0x50 | random_below(8)), (unsigned char)random_below(64),
                                   (unsigned char)random_below(64), 0};
        struct csv_dialect d = csv_dialect_of_bytes(choice);
        struct bronze_file files[3];
        for (size_t i = 0; i < 3; i++) {
            struct str bytes = random_file(&d);
            const char *path = str_c(&arena, str_printf(&arena, "%s/threads-%zu.csv", folder, i));
            test_write(path, bytes);
            files[i] = (struct bronze_file){
                .key = str_of(path), .path = path, .size_bytes = (int64_t)bytes.len, .rows_line = 1};
        }
        if (encoding_find(d.encoding)->unit_bytes > 1 && files[0].size_bytes < 8) continue;
        struct reader one, many;
        read_with(&d, files, 3, 1, CSV_BLOCK_BYTES, &one);
        for (size_t threads = 1; threads <= 4; threads++) {
            read_with(&d, files, 3, threads, 1 + random_below(40), &many);
            assert_true(many.sum == one.sum && many.records == one.records);
        }
    }
}

TEST_MAIN(cmocka_unit_test(test_no_byte_is_lost), cmocka_unit_test(test_threads))
