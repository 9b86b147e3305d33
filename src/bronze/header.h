/** The check of headers, and how it says no. */
#ifndef BRONZE_HEADER_H
#define BRONZE_HEADER_H

#include "bronze/bronze_int.h"

/** The first record of a file. */
struct header {
    const struct bronze_file *file;
    size_t count;      /* of its fields; 0: the file has no record */
    struct str *names; /* the fields, or the first LIMIT_COLUMNS + 1 of them */
    size_t name_count;
    struct str text;
    size_t *columns; /* byName: the column that each field fills */
};

/** The check of a batch's headers. */
struct headers {
    const struct plan *plan;
    const struct csv_dialect *dialect;
    struct bronze_columns *columns;
    size_t *field_of; /* of each column: the field of this file that fills it, from 1; 0: none. LIMIT_COLUMNS of them */
};

/* Each is REFUSED, with the file, what was found, what was expected, and what to do next. */
/** The header is not the contract's; `at` is the first position at which it differs. */
enum assay_code header_refuse_strict(const struct headers *h, const struct header *header, size_t at,
                                     struct assay_error *err) NODISCARD;
enum assay_code header_refuse_name(const struct headers *h, const struct header *header, size_t field,
                                   const char *fault, struct assay_error *err) NODISCARD;
enum assay_code header_refuse_twice(const struct headers *h, const struct header *header, size_t first, size_t second,
                                    struct assay_error *err) NODISCARD;
/** The header has no name of the contract. */
enum assay_code header_refuse_strange(const struct headers *h, const struct header *header,
                                      struct assay_error *err) NODISCARD;
/** Without a header: the first record has another number of fields. */
enum assay_code header_refuse_count(const struct headers *h, const struct header *header,
                                    struct assay_error *err) NODISCARD;
/** Without a header: the first record is one. */
enum assay_code header_refuse_header(const struct headers *h, const struct header *header,
                                     struct assay_error *err) NODISCARD;

#endif
