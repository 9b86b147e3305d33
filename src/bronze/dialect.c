/** A contract's source settings as the reader takes them. The contract's reader has checked them; what would make the
 * reading wrong is checked again here. */
#include "bronze/csv.h"

static enum assay_code take_byte(struct str value, const char *name, int *out, struct assay_error *err) {
    *out = -1;
    if (value.len == 0) return ASSAY_OK;
    if (value.len == 1 && (unsigned char)value.ptr[0] < 0x80 && value.ptr[0] != '\n' && value.ptr[0] != '\r') {
        *out = value.ptr[0];
        return ASSAY_OK;
    }
    return error_set(err, ASSAY_INVALID, "assaySource", "%s `%.*s`: expected one ASCII character that is no line end",
                     name, STR_ARG(value));
}

static bool has_byte(struct str text, int byte) { return byte >= 0 && str_find_char(text, (char)byte) != SIZE_MAX; }

static enum assay_code take_delimiter(struct str value, struct csv_dialect *out, struct assay_error *err) {
    if (value.len == 0 || has_byte(value, '\n') || has_byte(value, '\r'))
        return error_set(err, ASSAY_INVALID, "assaySource", "the delimiter is empty or has a line end");
    if (has_byte(value, out->quote) || (out->quote >= 0 && has_byte(value, out->escape)))
        return error_set(err, ASSAY_INVALID, "assaySource", "the delimiter `%.*s` has the quote or the escape in it",
                         STR_ARG(value));
    out->delimiter = value.ptr[0];
    out->more = str_sub(value, 1, value.len);
    return ASSAY_OK;
}

enum assay_code csv_dialect_of(const struct contract_source *source, struct csv_dialect *out, struct assay_error *err) {
    *out = (struct csv_dialect){
        .max_record_bytes = (size_t)source->max_record_bytes,
        .encoding = source->encoding,
        .comment = source->comment,
        .skip_top = source->skip_top,
        .skip_bottom = source->skip_bottom,
        .null_markers = source->null_markers,
        .null_marker_count = source->null_marker_count,
    };
    TRY(take_byte(source->quote, "quote", &out->quote, err));
    TRY(take_byte(source->escape, "escape", &out->escape, err));
    TRY(take_delimiter(source->delimiter, out, err));
    if (out->escape < 0) out->escape = out->quote;
    out->is_multi_line = source->is_multi_line && out->quote >= 0;
    return ASSAY_OK;
}
