/* Deletion vectors: bitmaps laid out by hand as the Roaring and Delta specifications have them, vectors in the log and
 * in files, the rows that are left and their places, and vectors that are damaged or lie. */
#include "delta_test.h"

#include "base/hash.h"

/* ---- bitmaps by hand ---- */

static void put_u16(struct buf *b, unsigned value) {
    buf_addc(b, (char)(value & 0xFF));
    buf_addc(b, (char)(value >> 8 & 0xFF));
}

static void put_u32(struct buf *b, uint32_t value) {
    put_u16(b, value & 0xFFFF);
    put_u16(b, value >> 16);
}

/* Magic number and how many 32-bit bitmaps follow. */
static void put_start(struct buf *b, uint32_t count) {
    put_u32(b, 1681511377);
    put_u32(b, count);
    put_u32(b, 0);
}

/* One bitmap of one container without runs; `first` rows from `from` on, `step` apart. */
static void put_values(struct buf *b, uint32_t high, unsigned key, unsigned from, unsigned count, unsigned step) {
    put_u32(b, high);
    put_u32(b, 12346);
    put_u32(b, 1);
    put_u16(b, key);
    put_u16(b, count - 1);
    put_u32(b, 16);
    if (count <= 4096) {
        for (unsigned i = 0; i < count; i++) put_u16(b, from + i * step);
        return;
    }
    unsigned char words[8192] = {0};
    for (unsigned i = 0; i < count; i++)
        words[(from + i * step) / 8] = (unsigned char)(words[(from + i * step) / 8] | 1 << (from + i * step) % 8);
    buf_add(b, (struct str){(char *)words, sizeof words});
}

static bool has_row(const struct delta_bitmap *bitmap, int64_t row) {
    bool answer = false;
    delta_bitmap_test(bitmap, &row, 1, &answer);
    return answer;
}

static struct delta_bitmap parse(const struct buf *b) {
    struct assay_error err = {0};
    struct delta_bitmap bitmap = {0};
    assert_ok(delta_bitmap_parse(buf_str(b), &arena, &bitmap, &err), &err);
    return bitmap;
}

/* The bytes of a vector that Spark wrote for a file whose first row is deleted. */
static void test_reads_a_vector_of_spark(void **state) {
    UNUSED(state);
    static const unsigned char BYTES[] = {0xd1, 0xd3, 0x39, 0x64, 1, 0, 0, 0, 0, 0, 0, 0,    0, 0, 0, 0, 0x3a, 0x30,
                                          0,    0,    1,    0,    0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0};
    struct assay_error err = {0};
    struct delta_bitmap bitmap;
    struct str bytes = {(const char *)BYTES, sizeof BYTES - 1};
    assert_ok(delta_bitmap_parse(bytes, &arena, &bitmap, &err), &err);
    assert_int_equal(bitmap.cardinality, 1);
    assert_int_equal(delta_bitmap_last(&bitmap), 0);
    assert_true(has_row(&bitmap, 0));
    assert_false(has_row(&bitmap, 1));
    for (size_t cut = 0; cut < bytes.len; cut++)
        assert_code(ASSAY_CORRUPT, delta_bitmap_parse(str_sub(bytes, 0, cut), &arena, &bitmap, &err), &err);
    assert_code(ASSAY_CORRUPT, delta_bitmap_parse((struct str){bytes.ptr, sizeof BYTES}, &arena, &bitmap, &err), &err);
}

static void test_every_kind_of_container(void **state) {
    UNUSED(state);
    struct buf b = {0};
    put_start(&b, 3);
    put_values(&b, 0, 2, 7, 4096, 16);              /* an array, full: 131072 + 7, 23, ... */
    put_values(&b, 1, 0, 0, 4097, 3);               /* bits: 2^32 + 0, 3, ... */
    put_values(&b, 0x7FFFFFFF, 65535, 65535, 1, 1); /* the last row that can be */
    struct delta_bitmap bitmap = parse(&b);
    assert_int_equal(bitmap.cardinality, 4096 + 4097 + 1);
    for (int64_t i = 0; i < 65536; i++) {
        assert_int_equal(has_row(&bitmap, 131072 + i), i % 16 == 7);
        assert_int_equal(has_row(&bitmap, 4294967296 + i), i % 3 == 0 && i <= 4096 * 3);
        assert_false(has_row(&bitmap, i));
    }
    assert_int_equal(delta_bitmap_last(&bitmap), INT64_MAX);
    assert_true(has_row(&bitmap, INT64_MAX));
    assert_false(has_row(&bitmap, INT64_MAX - 1));
    buf_free(&b);
}

static void test_runs(void **state) {
    UNUSED(state);
    struct buf b = {0};
    put_start(&b, 1);
    put_u32(&b, 0);
    put_u32(&b, 12347 | 3 << 16); /* four containers, some with runs: offsets follow */
    buf_addc(&b, 0x0B);           /* the third has none */
    static const unsigned CARDINALITIES[] = {15, 65536, 2, 2};
    for (unsigned i = 0; i < 4; i++) put_u16(&b, i), put_u16(&b, CARDINALITIES[i] - 1);
    for (unsigned i = 0; i < 4; i++) put_u32(&b, 0);
    put_u16(&b, 2), put_u16(&b, 10), put_u16(&b, 9), put_u16(&b, 30), put_u16(&b, 4); /* 10..19, 30..34 */
    put_u16(&b, 1), put_u16(&b, 0), put_u16(&b, 65535);                               /* all */
    put_u16(&b, 5), put_u16(&b, 65535);                                               /* two values */
    put_u16(&b, 2), put_u16(&b, 0), put_u16(&b, 0), put_u16(&b, 65535), put_u16(&b, 0);
    struct delta_bitmap bitmap = parse(&b);
    assert_int_equal(bitmap.cardinality, 15 + 65536 + 2 + 2);
    for (int64_t i = 0; i < 65536; i++) {
        assert_int_equal(has_row(&bitmap, i), (i >= 10 && i < 20) || (i >= 30 && i < 35));
        assert_true(has_row(&bitmap, 65536 + i));
        assert_int_equal(has_row(&bitmap, 131072 + i), i == 5 || i == 65535);
        assert_int_equal(has_row(&bitmap, 196608 + i), i == 0 || i == 65535);
    }
    buf_free(&b);
}

/* Whatever a byte becomes: an error, or a set with as many rows as it says. */
static void test_damaged_bitmaps(void **state) {
    UNUSED(state);
    struct buf b = {0};
    put_start(&b, 2);
    put_values(&b, 0, 1, 3, 20, 5);
    put_values(&b, 2, 0, 0, 5000, 2);
    for (size_t i = 0; i < b.len; i++) {
        char *copy = str_c(&arena, buf_str(&b));
        memcpy(copy, b.data, b.len);
        for (unsigned value = 0; value < 256; value += 51) {
            struct assay_error err = {0};
            struct delta_bitmap bitmap = {0};
            copy[i] = (char)(b.data[i] ^ (int)(value + 1));
            if (delta_bitmap_parse((struct str){copy, b.len}, &arena, &bitmap, &err) != ASSAY_OK)
                assert_true(err.message[0] != '\0');
            else
                assert_true(delta_bitmap_last(&bitmap) >= 0);
        }
        if (arena.used_bytes > 1 << 24) arena_reset(&arena);
    }
    struct assay_error err = {0};
    struct delta_bitmap bitmap;
    b.data[0] = (char)(b.data[0] - 1); /* 1681511376: the form before the protocol's */
    assert_code(ASSAY_UNSUPPORTED, delta_bitmap_parse(buf_str(&b), &arena, &bitmap, &err), &err);
    assert_err_has(&err, "deletionVectors");
    buf_free(&b);
}

/* ---- vectors of tables ---- */

static struct str z85_of(struct str bytes) {
    static const char DIGITS[] =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
    struct buf text = {0};
    for (size_t i = 0; i < bytes.len; i += 4) {
        uint64_t value = 0;
        for (size_t k = i; k < i + 4; k++) value = value << 8 | (k < bytes.len ? (unsigned char)bytes.ptr[k] : 0);
        char five[5];
        for (size_t k = 5; k-- > 0; value /= 85) five[k] = DIGITS[value % 85];
        buf_add(&text, (struct str){five, 5});
    }
    struct str copy = str_copy(&arena, buf_str(&text));
    buf_free(&text);
    return copy;
}

/* The rows `from`, `from + step`, ... as a vector's bytes. */
static struct str vector_of(unsigned from, unsigned count, unsigned step) {
    struct buf b = {0};
    put_start(&b, 1);
    put_values(&b, 0, 0, from, count, step);
    struct str copy = str_copy(&arena, buf_str(&b));
    buf_free(&b);
    return copy;
}

#define LISTED                                                                                                         \
    "{\"protocol\":{\"minReaderVersion\":3,\"minWriterVersion\":7,\"readerFeatures\":[\"deletionVectors\"],"           \
    "\"writerFeatures\":[\"deletionVectors\"]}}\n"

static void print_vector(struct buf *text, const struct delta_vector *vector) {
    struct json_writer w = {.out = text};
    buf_printf(text,
               ",\"deletionVector\":{\"storageType\":\"%.*s\",\"pathOrInlineDv\":", STR_ARG(vector->storage_type));
    json_put_str(&w, vector->path_or_inline);
    if (vector->offset >= 0) buf_printf(text, ",\"offset\":%lld", (long long)vector->offset);
    buf_printf(text, ",\"sizeInBytes\":%lld,\"cardinality\":%lld}", (long long)vector->size_bytes,
               (long long)vector->cardinality);
}

/* The next version: the file gets a vector in the place of the one it has. */
static struct delta_snapshot *put_vector(const struct delta_snapshot *t, size_t file, const char *type,
                                         struct str place, int64_t offset, int64_t size, int64_t cardinality) {
    const struct delta_file *old = &t->files[file];
    struct delta_vector vector = {str_of(type), place, offset, size, cardinality};
    struct buf text = {0};
    struct json_writer w = {.out = &text};
    buf_printf(&text, LISTED "{\"remove\":{\"path\":\"%.*s\",\"dataChange\":true", STR_ARG(old->path));
    if (old->vector) print_vector(&text, old->vector);
    buf_printf(&text,
               "}}\n{\"add\":{\"path\":\"%.*s\",\"partitionValues\":{},\"size\":%lld,\"modificationTime\":1,"
               "\"dataChange\":true,\"stats\":",
               STR_ARG(old->path), (long long)old->size_bytes);
    json_put_str(&w, old->stats);
    print_vector(&text, &vector);
    buf_addz(&text, "}}\n");
    put_commit(t->version + 1, text.data);
    buf_free(&text);
    return load();
}

static struct delta_snapshot *put_inline(const struct delta_snapshot *t, size_t file, struct str bytes,
                                         long long rows) {
    return put_vector(t, file, "i", z85_of(bytes), -1, (int64_t)bytes.len, rows);
}

static void test_a_vector_in_the_log(void **state) {
    UNUSED(state);
    struct delta_snapshot *t = create(simple_metadata(), "SELECT i AS id, 'n' || i AS name FROM range(10) r(i)");
    t = put_inline(t, 0, vector_of(1, 4, 2), 4); /* 1, 3, 5, 7 */
    assert_str(ask_table(t, "SELECT string_agg(id, ' ' ORDER BY id) FROM {t}"), "0 2 4 6 8 9");
    assert_str(ask_table(t, "SELECT count(*) FROM {t}"), "6");
    /* filters see what is left; places stay where they are in the file */
    assert_str(ask_files(t, "SELECT id, " DELTA_SCAN_FILE ", " DELTA_SCAN_ROW " FROM {t} WHERE id > 6 ORDER BY id",
                         NULL, 0, true),
               "8|0|8\n9|0|9");
    struct assay_error err = {0};
    struct delta_bitmap rows;
    assert_ok(delta_vector_rows(t, &t->files[0], &arena, &rows, &err), &err);
    assert_int_equal(rows.cardinality, 4);
    assert_int_equal(delta_bitmap_last(&rows), 7);
    /* another vector in the place of the first one */
    t = put_inline(t, 0, vector_of(0, 10, 1), 10);
    assert_str(ask_table(t, "SELECT count(*), min(id) FROM {t}"), "0|NULL");
}

/* More files with vectors than the engine keeps open, with others between them, in parts and as a whole. */
static void test_many_vectors(void **state) {
    UNUSED(state);
    struct delta_snapshot *t = create(simple_metadata(), "SELECT i AS id, NULL AS name FROM range(5000) r(i)");
    for (int i = 1; i < 20; i++)
        t = append(t, text_of("SELECT i + %d AS id, NULL AS name FROM range(5000) r(i)", 5000 * i));
    size_t some[20], count = 0;
    for (size_t i = 0; i < 20; i++) {
        if (i % 3 == 2) continue;
        t = put_inline(t, i, vector_of((unsigned)i, 1000 + (unsigned)i, 4), 1000 + (int64_t)i);
        some[count++] = i;
    }
    int64_t left = 20 * 5000;
    for (size_t i = 0; i < 20; i++) left -= i % 3 == 2 ? 0 : 1000 + (int64_t)i;
    assert_str(ask_table(t, "SELECT count(*) FROM {t}"), text_of("%lld", (long long)left));
    assert_str(ask_files(t,
                         "SELECT count(*) FROM {t} WHERE " DELTA_SCAN_FILE " % 3 <> 2 AND " DELTA_SCAN_ROW
                         " % 4 = " DELTA_SCAN_FILE " % 4 AND " DELTA_SCAN_ROW " BETWEEN " DELTA_SCAN_FILE
                         " AND " DELTA_SCAN_FILE " + 4 * (999 + " DELTA_SCAN_FILE ")",
                         NULL, 0, true),
               "0");
    assert_str(ask_files(t, "SELECT count(DISTINCT id) = count(*), count(*) FROM {t}", some, count, false),
               text_of("true|%lld", (long long)left - 6 * 5000));
}

static struct str file_of(struct str vector, bool is_right) {
    struct buf b = {0};
    uint32_t numbers[] = {(uint32_t)vector.len, hash_crc32(vector) + !is_right};
    buf_addz(&b, "\001xx");
    for (int i = 24; i >= 0; i -= 8) buf_addc(&b, (char)(numbers[0] >> i & 0xFF));
    buf_add(&b, vector);
    for (int i = 24; i >= 0; i -= 8) buf_addc(&b, (char)(numbers[1] >> i & 0xFF));
    struct str copy = str_copy(&arena, buf_str(&b));
    buf_free(&b);
    return copy;
}

static void expect(const struct delta_snapshot *t, enum assay_code code, const char *part) {
    struct assay_error err = {0};
    struct engine_result rows;
    struct buf sql = {0};
    buf_addz(&sql, "SELECT * FROM ");
    assert_ok(delta_scan_sql(t, NULL, 0, false, &arena, &sql, &err), &err);
    assert_code(code, engine_query(engine, buf_str(&sql), 100, &arena, &rows, &err), &err);
    assert_err_has(&err, part);
    buf_free(&sql);
}

/* d2c639aa-8816-431a-aaf6-d3fe2512ff61 and its Z85 form stand in the log of a table of Spark's. */
#define UUID_Z85 "^-aqEH.-t@S}K{vb[*k^"
#define UUID_FILE "deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"

static void test_vectors_in_files(void **state) {
    UNUSED(state);
    struct assay_error err = {0};
    struct str vector = vector_of(2, 3, 1);
    struct delta_snapshot *t = create(simple_metadata(), "SELECT i AS id, NULL AS name FROM range(6) r(i)");
    assert_ok(store_put(store, str_path(&arena, ROOT, STR(UUID_FILE)), file_of(vector, true), &err), &err);
    assert_ok(store_put(store, str_path(&arena, ROOT, STR("a%b/" UUID_FILE)), file_of(vector, false), &err), &err);
    t = put_vector(t, 0, "u", STR(UUID_Z85), 3, (int64_t)vector.len, 3);
    assert_str(ask_table(t, "SELECT string_agg(id, ' ' ORDER BY id) FROM {t}"), "0 1 5");
    expect(t = put_vector(t, 0, "u", STR(UUID_Z85), 3, (int64_t)vector.len, 4), ASSAY_CORRUPT, "3 rows");
    expect(t = put_vector(t, 0, "u", STR(UUID_Z85), 2, (int64_t)vector.len, 3), ASSAY_CORRUPT, "byte 2");
    expect(t = put_vector(t, 0, "u", STR(UUID_Z85), 3, (int64_t)vector.len - 1, 3), ASSAY_CORRUPT, "bytes");
    expect(t = put_vector(t, 0, "u", STR(UUID_Z85), 9999999, 10, 3), ASSAY_CORRUPT, "byte 9999999");
    expect(t = put_vector(t, 0, "u", STR(UUID_Z85), 3, 1LL << 40, 3), ASSAY_CORRUPT, "bytes");
    expect(t = put_vector(t, 0, "u", STR("a%b" UUID_Z85), 3, (int64_t)vector.len, 3), ASSAY_CORRUPT, "checksum");
    expect(t = put_vector(t, 0, "u", STR("nope" UUID_Z85), 3, 10, 3), ASSAY_CORRUPT, "gone");
    expect(t = put_vector(t, 0, "u", STR("../.." UUID_Z85), 3, 10, 3), ASSAY_INVALID, "..");
    expect(t = put_vector(t, 0, "u", STR("short"), -1, 10, 3), ASSAY_CORRUPT, "UUID");
    expect(t = put_vector(t, 0, "x", STR("short"), -1, 10, 3), ASSAY_UNSUPPORTED, "deletionVectors");
    expect(t = put_vector(t, 0, "i", STR("~~~~~"), -1, 4, 1), ASSAY_CORRUPT, "Z85");
    expect(t = put_inline(t, 0, vector_of(6, 1, 1), 1), ASSAY_CORRUPT, "row 6 of a file of 6 rows");
    expect(t = put_vector(t, 0, "p", STR("/etc/passwd"), 1, 10, 3), ASSAY_UNSUPPORTED, "/etc/passwd");
    struct str elsewhere = str_printf_of("%s/other", lake);
    assert_ok(store_put(store, STR("other/v%20.bin"), file_of(vector, true), &err), &err);
    t = put_vector(t, 0, "p", str_printf_of("file://%.*s/v%%2520.bin", STR_ARG(elsewhere)), 3, (int64_t)vector.len, 3);
    assert_str(ask_table(t, "SELECT string_agg(id, ' ' ORDER BY id) FROM {t}"), "0 1 5");
}

TEST_MAIN(LAKE_TEST(test_reads_a_vector_of_spark), LAKE_TEST(test_every_kind_of_container), LAKE_TEST(test_runs),
          LAKE_TEST(test_damaged_bitmaps), LAKE_TEST(test_a_vector_in_the_log), LAKE_TEST(test_many_vectors),
          LAKE_TEST(test_vectors_in_files))
