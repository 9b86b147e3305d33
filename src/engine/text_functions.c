/*
 * spark_trim, spark_upper, spark_lower, plain_number.
 *
 * 1. Most columns need no change. Then the output vector refers to the input's data, and nothing is copied: the loop
 * that finds this out is the whole cost.
 * 2. From the first value that changes on, every value is written anew: a text must not outlive the vector that owns
 * its bytes.
 * 3. ASCII is mapped here; any other byte sends the value to base/unicode.h (Java's rules).
 */
#include "engine/engine_int.h"

#include "base/unicode.h"
#include "engine/cast.h"

#include <string.h>

#define HIGH_BITS UINT64_C(0x8080808080808080)

/** Whether the function leaves the text as it is. May say no where it does. */
typedef bool keeps_fn(const duckdb_string_t *text);
/** Write the function's text for `row`. `scratch` is free to use. */
typedef void write_fn(struct writer *out, idx_t row, struct str text, struct buf *scratch);

static void run_text(duckdb_data_chunk input, duckdb_vector output, keeps_fn *keeps, write_fn *write) {
    idx_t count = duckdb_data_chunk_get_size(input), changed = 0;
    struct column in = column_of(input, 0);
    const duckdb_string_t *texts = in.data;
    while (changed < count && (column_is_null(&in, changed) || keeps(&texts[changed]))) changed++;
    if (changed == count) {
        duckdb_vector_reference_vector(output, in.vector);
        return;
    }
    struct writer out = writer_of(output);
    struct buf scratch = {0};
    for (idx_t i = 0; i < count; i++) {
        if (column_is_null(&in, i))
            writer_put_null(&out, i);
        else if (i < changed)
            writer_put_text(&out, i, string_view(&texts[i]));
        else
            write(&out, i, string_view(&texts[i]), &scratch);
    }
    buf_free(&scratch);
}

static bool trim_keeps(const duckdb_string_t *s) {
    struct str text = string_view(s);
    return text.len == 0 || (text.ptr[0] != ' ' && text.ptr[text.len - 1] != ' ');
}

static void trim_write(struct writer *out, idx_t row, struct str text, struct buf *scratch) {
    (void)scratch;
    writer_put_text(out, row, cast_trim(text));
}

/** One byte with the high bit set in each place where w has an ASCII letter from `first` to first + 25; w is all ASCII.
 */
static uint64_t letters(uint64_t w, unsigned char first) {
    const uint64_t ones = 0x0101010101010101U;
    uint64_t at_least = w + ones * (uint64_t)(0x80 - first), above = w + ones * (uint64_t)(0x80 - first - 26);
    return (at_least & ~above) & HIGH_BITS;
}

static uint64_t load(const char *p) {
    uint64_t w;
    memcpy(&w, p, sizeof w);
    return w;
}

/** Whether there is a letter from `first` on, or a byte that is not ASCII. Looks at eight bytes at a time. */
static bool has_letters_or_more(const duckdb_string_t *s, unsigned char first) {
    if (s->value.inlined.length <= 12) { /* padded with zeros */
        uint64_t head = load(s->value.inlined.inlined);
        uint32_t tail;
        memcpy(&tail, s->value.inlined.inlined + 8, sizeof tail);
        return ((head | tail) & HIGH_BITS) || letters(head, first) || letters(tail, first);
    }
    const char *p = s->value.pointer.ptr, *last = p + s->value.pointer.length - 8;
    for (; p < last; p += 8)
        if (load(p) & HIGH_BITS || letters(load(p), first)) return true;
    return load(last) & HIGH_BITS || letters(load(last), first);
}

static bool is_ascii(struct str text) {
    unsigned char all = 0;
    for (size_t i = 0; i < text.len; i++) all |= (unsigned char)text.ptr[i];
    return all < 0x80;
}

/** ASCII with the letters from `first` on in the other case, which is bit 0x20. */
static void write_other_case(struct writer *out, idx_t row, struct str text, unsigned char first) {
    char *to = writer_text_room(out, row, text.len);
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        to[i] = (char)(c ^ ((unsigned char)(c - first) < 26 ? 0x20 : 0));
    }
    writer_text_seal(out, row);
}

static bool upper_keeps(const duckdb_string_t *s) { return !has_letters_or_more(s, 'a'); }
static bool lower_keeps(const duckdb_string_t *s) { return !has_letters_or_more(s, 'A'); }

static void upper_write(struct writer *out, idx_t row, struct str text, struct buf *scratch) {
    if (is_ascii(text)) {
        write_other_case(out, row, text, 'a');
        return;
    }
    buf_clear(scratch);
    unicode_upper(scratch, text);
    writer_put_text(out, row, buf_str(scratch));
}

static void lower_write(struct writer *out, idx_t row, struct str text, struct buf *scratch) {
    if (is_ascii(text)) {
        write_other_case(out, row, text, 'A');
        return;
    }
    buf_clear(scratch);
    unicode_lower(scratch, text);
    writer_put_text(out, row, buf_str(scratch));
}

static void run_trim(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    (void)info;
    run_text(input, output, trim_keeps, trim_write);
}

static void run_upper(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    (void)info;
    run_text(input, output, upper_keeps, upper_write);
}

static void run_lower(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    (void)info;
    run_text(input, output, lower_keeps, lower_write);
}

static void run_plain_number(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    (void)info;
    idx_t count = duckdb_data_chunk_get_size(input);
    struct column in = column_of(input, 0), decimal = column_of(input, 1), thousands = column_of(input, 2);
    const duckdb_string_t *texts = in.data, *decimals = decimal.data, *separators = thousands.data;
    struct writer out = writer_of(output);
    struct buf number = {0};
    for (idx_t i = 0; i < count; i++)
        if (!column_is_null(&in, i) &&
            cast_plain_number(string_view(&texts[i]), string_view(&decimals[i]), string_view(&separators[i]), &number))
            writer_put_text(&out, i, buf_str(&number));
        else
            writer_put_null(&out, i);
    buf_free(&number);
}

enum assay_code text_functions_add(struct engine *engine, struct assay_error *err) {
    static const struct function functions[] = {
        {.name = "spark_trim", .parameters = {DUCKDB_TYPE_VARCHAR}, .returns = DUCKDB_TYPE_VARCHAR, .run = run_trim},
        {.name = "spark_upper", .parameters = {DUCKDB_TYPE_VARCHAR}, .returns = DUCKDB_TYPE_VARCHAR, .run = run_upper},
        {.name = "spark_lower", .parameters = {DUCKDB_TYPE_VARCHAR}, .returns = DUCKDB_TYPE_VARCHAR, .run = run_lower},
        {.name = "plain_number",
         .parameters = {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_VARCHAR},
         .returns = DUCKDB_TYPE_VARCHAR,
         .run = run_plain_number},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) TRY(function_add(engine, &functions[i], err));
    return ASSAY_OK;
}
