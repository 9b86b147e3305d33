/** What of a contract's source settings this version reads; the rest is refused by name before a byte is read. */
#include "bronze/csv.h"

static enum assay_code take_byte(struct str value, const char *name, char *out, struct assay_error *err) {
    if (value.len == 1 && (unsigned char)value.ptr[0] < 0x80 && value.ptr[0] != '\n' && value.ptr[0] != '\r') {
        *out = value.ptr[0];
        return ASSAY_OK;
    }
    return error_set(err, ASSAY_UNSUPPORTED, "assaySource",
                     "%s `%.*s`: only one ASCII character can be read in this version", name, STR_ARG(value));
}

static enum assay_code check_kind(const struct contract_source *s, struct assay_error *err) {
    static const char *const formats[] = {
        [CONTRACT_CSV] = "csv", [CONTRACT_JSON] = "json", [CONTRACT_PARQUET] = "parquet"};
    static const char *const headers[] = {
        [CONTRACT_HEADER_STRICT] = "strict", [CONTRACT_HEADER_BY_NAME] = "byName", [CONTRACT_HEADER_NONE] = "none"};
    if (s->format != CONTRACT_CSV)
        return error_set(err, ASSAY_UNSUPPORTED, "assaySource", "format %s cannot be loaded in this version; csv can",
                         formats[s->format]);
    if (s->header != CONTRACT_HEADER_STRICT)
        return error_set(err, ASSAY_UNSUPPORTED, "assaySource",
                         "header %s cannot be loaded in this version; strict can", headers[s->header]);
    if (!str_eq_nocase(s->encoding, STR("UTF-8")) && !str_eq_nocase(s->encoding, STR("UTF8")))
        return error_set(err, ASSAY_UNSUPPORTED, "assaySource",
                         "encoding %.*s cannot be read in this version; UTF-8 can", STR_ARG(s->encoding));
    return ASSAY_OK;
}

enum assay_code csv_dialect_of(const struct contract_source *source, struct csv_dialect *out, struct assay_error *err) {
    TRY(check_kind(source, err));
    TRY(take_byte(source->delimiter, "delimiter", &out->delimiter, err));
    TRY(take_byte(source->quote, "quote", &out->quote, err));
    TRY(take_byte(source->escape, "escape", &out->escape, err));
    if (out->delimiter == out->quote || out->delimiter == out->escape)
        return error_set(err, ASSAY_INVALID, "assaySource", "delimiter and quote are the same character `%c`",
                         out->delimiter);
    out->is_multi_line = source->is_multi_line;
    out->max_record_bytes = (size_t)source->max_record_bytes;
    return ASSAY_OK;
}
