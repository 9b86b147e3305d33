/** Values of a query as text: by their type, which the text of a value does not tell. */
#include "cli/value_text.h"

#include "base/json.h"

#include <string.h>

static bool is_real(struct str type) { return str_eq(type, STR("DOUBLE")) || str_eq(type, STR("FLOAT")); }

bool value_text_is_number(struct str type) {
    static const char *const NUMBERS[] = {"TINYINT",  "SMALLINT",  "INTEGER",  "BIGINT", "HUGEINT",
                                          "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"};
    for (size_t i = 0; i < sizeof NUMBERS / sizeof NUMBERS[0]; i++)
        if (str_eq(type, str_of(NUMBERS[i]))) return true;
    return is_real(type) || str_starts(type, STR("DECIMAL("));
}

static bool is_nested(struct str type) {
    return str_starts(type, STR("STRUCT(")) || str_starts(type, STR("MAP(")) || str_ends(type, STR("[]"));
}

/* The digits of a finite number as the engine writes it, without its point, and where the point stands. */
static bool read_digits(struct str text, struct buf *digits, int64_t *point) {
    struct str exponent, mantissa = text;
    size_t e = str_find_char(text, 'e');
    *point = 0;
    if (e != SIZE_MAX) {
        mantissa = str_sub(text, 0, e);
        exponent = str_sub(text, e + 1, text.len);
        if (str_starts(exponent, STR("+"))) exponent = str_sub(exponent, 1, exponent.len);
        if (str_int64(exponent, point) != ASSAY_OK) return false;
    }
    struct str whole, rest = str_split(mantissa, '.', &whole);
    *point += (int64_t)whole.len;
    buf_add(digits, whole);
    buf_add(digits, rest);
    while (digits->len > 1 && digits->data[0] == '0') {
        memmove(digits->data, digits->data + 1, digits->len--);
        --*point;
    }
    while (digits->len > 1 && digits->data[digits->len - 1] == '0') digits->data[--digits->len] = '\0';
    return digits->len > 0;
}

/* As Java's Double.toString, and so Spark, prints it: `1.0E16`, `1.0E-4`, else plain with at least one decimal. */
static void print_real(struct buf *out, struct str text) {
    struct buf digits = {0};
    int64_t point;
    struct str bare = str_starts(text, STR("-")) ? str_sub(text, 1, text.len) : text;
    bool is_finite = bare.len && bare.ptr[0] >= '0' && bare.ptr[0] <= '9';
    if (!is_finite || !read_digits(bare, &digits, &point)) {
        buf_add(out, text);
        buf_free(&digits);
        return;
    }
    struct str d = buf_str(&digits);
    if (bare.len < text.len) buf_addc(out, '-');
    if (str_eq(d, STR("0"))) {
        buf_addz(out, "0.0");
    } else if (point > 7 || point < -2) {
        struct str tail = d.len > 1 ? str_sub(d, 1, d.len) : STR("0");
        buf_printf(out, "%c.%.*sE%lld", d.ptr[0], STR_ARG(tail), (long long)point - 1);
    } else {
        for (int64_t i = point < 0 ? point : 0; i < (int64_t)d.len || i <= point; i++) {
            if (i == point) buf_addz(out, i <= 0 ? "0." : ".");
            buf_addc(out, i >= 0 && i < (int64_t)d.len ? d.ptr[i] : '0');
        }
    }
    buf_free(&digits);
}

void value_text_print(struct buf *out, struct str type, struct str text) {
    if (is_real(type))
        print_real(out, text);
    else
        buf_add(out, text);
}

void value_text_json_row(struct buf *out, const struct query_column *columns, size_t count,
                         const struct engine_cell *cells) {
    struct json_writer w = {.out = out};
    json_begin_object(&w);
    for (size_t i = 0; i < count; i++) {
        struct str type = columns[i].type, text = cells[i].text;
        json_key_str(&w, columns[i].name);
        bool is_said = !is_real(type) || (text.len && text.ptr[text.len - 1] <= '9'); /* not NaN, Infinity */
        bool is_bare = (value_text_is_number(type) && is_said) || is_nested(type) || str_eq(type, STR("BOOLEAN"));
        if (cells[i].is_null)
            json_put_null(&w);
        else if (is_bare)
            json_put_raw(&w, text);
        else
            json_put_str(&w, text);
    }
    json_end_object(&w);
    buf_addc(out, '\n');
}
