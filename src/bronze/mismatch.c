/**
 * Deliveries that evidently are not what the contract says, told once before a row lands: a header that is one column
 * with the declared delimiter and several with another, and a file that is there twice, packed and not. Nothing is
 * guessed for the reading: the contract has to be changed, or the delivery.
 */
#include "bronze/bronze_int.h"

static void print_delimiter(struct buf *out, struct str delimiter) {
    buf_addz(out, "\"");
    buf_add(out, str_eq(delimiter, STR("\t")) ? STR("\\t") : delimiter);
    buf_addz(out, "\"");
}

bool mismatch_delimiter(const struct csv_dialect *dialect, struct str header, size_t columns, struct buf *out) {
    static const struct str usual[] = {{",", 1}, {";", 1}, {"\t", 1}, {"|", 1}};
    struct str best = {0};
    size_t best_count = 1;
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        struct csv_dialect other = *dialect;
        struct buf scratch = {0};
        other.delimiter = usual[i].ptr[0];
        other.more = (struct str){0};
        size_t count = csv_tokenize(&other, header, true, NULL, 0, &scratch);
        buf_free(&scratch);
        if (count <= best_count && count != columns) continue;
        best = usual[i];
        best_count = count;
        if (count == columns) break;
    }
    if (best_count < 2) return false;
    buf_addz(out, "next: with the delimiter ");
    print_delimiter(out, best);
    buf_printf(out, " it has %zu columns, so say delimiter: ", best_count);
    print_delimiter(out, best);
    buf_addz(out, " in assaySource, or ask the source to deliver it as before");
    return true;
}

/** The key without `.gz` or `.zst`. */
static struct str plain_key(struct str key) {
    enum packing packing = packing_of(key);
    return str_sub(key, 0, key.len - (packing == PACKING_GZIP ? 3 : packing == PACKING_ZSTD ? 4 : 0));
}

enum assay_code mismatch_twins(const struct bronze_file *files, size_t count, struct assay_error *err) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count && str_starts(files[k].key, plain_key(files[i].key)); k++)
            if (str_eq(plain_key(files[i].key), plain_key(files[k].key)))
                return error_set(err, ASSAY_REFUSED, files[k].key.ptr,
                                 "the same file is there as `%.*s` too: its rows would land twice; no row of the "
                                 "batch was loaded\nnext: take one of the two out of the delivery",
                                 STR_ARG(str_basename(files[i].key)));
    return ASSAY_OK;
}
