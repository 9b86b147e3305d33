/**
 * Contracts: Open Data Contract Standard YAML (v3.0 to v3.2) read into plain data, every mistake reported with its
 * place.
 *
 * One `struct contract` per object of the file's `schema`. assay's own properties are `customProperties` named
 * assayGrain, assaySource, ... or, in 3.2, `{property: grain, vendor: assay}`. Unknown standard fields of other vendors
 * are kept out of the way; unknown assay properties are errors with the nearest name.
 */
#ifndef CONTRACT_CONTRACT_H
#define CONTRACT_CONTRACT_H

#include "base/type.h"
#include "expr/expr.h"

/* ---- mistakes ---- */

enum diagnostic_severity { DIAGNOSTIC_ERROR, DIAGNOSTIC_WARNING, DIAGNOSTIC_NOTE };

/** code: short stable name, such as `unknown-property`. line, column from 1, length in bytes of what the caret marks
 * (at least 1). help may be empty. */
struct diagnostic {
    enum diagnostic_severity severity;
    struct str code;
    uint32_t line, column, length;
    struct str message, help;
};

/** The mistakes of one file. */
struct diagnostics {
    struct str path; /* as the user knows it */
    struct str text; /* of the file, for the source line */
    struct diagnostic *list;
    size_t count, capacity;
    size_t error_count, warning_count;
};

void diagnostics_add(struct diagnostics *d, struct arena *arena, struct diagnostic item);
/** `path:line:column: error: message [code]`, the source line, a caret line and the help, sorted by place. */
void diagnostics_print(const struct diagnostics *d, enum diagnostic_severity least, struct buf *out);

/* ---- a contract ---- */

struct contract_place {
    uint32_t line, column;
};

enum contract_severity { CONTRACT_ERROR, CONTRACT_WARNING, CONTRACT_INFO };

enum contract_rule_kind {
    CONTRACT_REQUIRED,  /* required, or a grain key */
    CONTRACT_PRESENT,   /* nullValues or missingValues, mustBe 0: a value, and none of `values` */
    CONTRACT_CAST,      /* the value cannot be read as the column's type */
    CONTRACT_SCALE,     /* assayScale: strict, the cast would round */
    CONTRACT_RANGE,     /* minimum, maximum, exclusive ones */
    CONTRACT_LENGTH,    /* minLength, maxLength */
    CONTRACT_PATTERN,   /* logicalTypeOptions.pattern, or invalidValues with arguments.pattern */
    CONTRACT_ALLOWED,   /* enum, or invalidValues with arguments.validValues */
    CONTRACT_REFERENCE, /* a value of another table's column */
    CONTRACT_ROW, /* type: sql over the row; with a column (of a column's own quality) asked only where that has a value
                   */
};

/** A rule over one row, in contract order. Which members are set depends on kind. */
struct contract_rule {
    enum contract_rule_kind kind;
    struct str id; /* as the oracle's table of rules names it: order_id_required, currency_allowed, ... */
    size_t column; /* index, or SIZE_MAX for a rule over the row */
    enum contract_severity severity;
    bool
        is_constraint; /* false: asked of rows, never put on the table (assayConstraint: false, references, warnings) */
    struct contract_place place;
    struct str minimum, maximum;                     /* RANGE: text of the bound, ptr NULL when open */
    bool is_minimum_exclusive, is_maximum_exclusive; /* RANGE */
    int64_t min_length, max_length;                  /* LENGTH: -1 when open */
    struct str pattern;                              /* PATTERN */
    struct str *values;                              /* ALLOWED; PRESENT: texts that are no value */
    size_t value_count;
    struct str reference_table, reference_column, reference_active_when; /* REFERENCE; active_when may be empty */
    struct expr *predicate;                                              /* ROW: checked against the columns */
};

/**
 * What a check measures of a batch before silver is touched. The rows are those that can be read, rejected ones among
 * them; for DUPLICATE_VALUES those that would go to silver; for ROW_COUNT all that landed.
 */
enum contract_metric {
    CONTRACT_NULL_VALUES,      /* rows without a value in the column */
    CONTRACT_MISSING_VALUES,   /* the same, and rows whose text is one of `values` */
    CONTRACT_INVALID_VALUES,   /* rows with a value that is unparseable, none of `values`, or not of the pattern */
    CONTRACT_DUPLICATE_VALUES, /* rows less different values in `columns`; a row with a NULL among them does not count
                                */
    CONTRACT_ROW_COUNT,
    CONTRACT_MATCHING_ROWS, /* rows for which the condition is TRUE */
    CONTRACT_REJECTED_ROWS, /* rows that break one rule, of all that landed */
    CONTRACT_VOLUME,        /* landed rows against the average of the last good batches */
    CONTRACT_AGE,           /* seconds since the newest value of a date or timestamp column */
};

enum contract_operator {
    CONTRACT_EQUAL,
    CONTRACT_NOT_EQUAL,
    CONTRACT_GREATER,
    CONTRACT_GREATER_OR_EQUAL,
    CONTRACT_LESS,
    CONTRACT_LESS_OR_EQUAL,
    CONTRACT_BETWEEN, /* both ends included, as the standard's own tool does it */
    CONTRACT_NOT_BETWEEN,
};

/** A question about a batch as a whole: an item of quality that does not speak of single rows. */
struct contract_check {
    enum contract_metric metric;
    struct str id;
    size_t *columns; /* indexes; one for the metrics of a column */
    size_t column_count;
    struct str *values; /* MISSING_VALUES, INVALID_VALUES (ptr NULL: no list) */
    size_t value_count;
    struct str pattern;     /* INVALID_VALUES; may be empty */
    struct expr *condition; /* MATCHING_ROWS: checked */
    size_t rule;            /* REJECTED_ROWS: index */
    int64_t batch_count;    /* VOLUME: how many of the last good batches count at most */
    enum contract_operator op;
    struct str low, high; /* decimal texts; high for the BETWEENs */
    bool is_percent;      /* of the rows that were looked at */
    enum contract_severity severity;
    struct contract_place place;
};

struct contract_column {
    struct str name;
    struct contract_place place;
    struct type type;
    struct str source;  /* name in the files: the column inside transformLogic, else the name itself */
    struct expr *clean; /* over a string column named `source`; NULL when there is nothing to clean. Only trim, upper,
                           lower, nullif, ... of text */
    struct str format;  /* date and timestamp pattern, empty for the plain cast */
    bool is_required;   /* required, or a grain key */
    bool is_scale_strict;
    struct str description;
    struct str classification;
};

struct contract_order {
    struct str column; /* a contract column, or _source_file, _source_line, _loaded_at, _batch_id */
    bool is_ascending;
};

enum contract_header { CONTRACT_HEADER_STRICT, CONTRACT_HEADER_BY_NAME, CONTRACT_HEADER_NONE };
enum contract_format { CONTRACT_CSV, CONTRACT_JSON, CONTRACT_PARQUET, CONTRACT_DELTA };
/** Whether values come with types of their own, and no row can be corrupt. */
static inline bool contract_format_is_typed(enum contract_format format) {
    return format == CONTRACT_PARQUET || format == CONTRACT_DELTA;
}

struct contract_source {
    struct str path;    /* relative to the lake's Files/ */
    struct str pattern; /* glob over file names, `*` `?` `[..]`, case-sensitive; default `*` + the format's usual
                           ending. Delta: says only what data looks like where no run reads it */
    bool takes_packed;  /* names with .gz or .zst behind the pattern match too: it is the default one */
    enum contract_format format;
    enum contract_header header;
    struct str delimiter, quote, escape; /* defaults `,` `"` and the quote; an empty quote: values are never quoted */
    bool is_multi_line;
    int64_t max_record_bytes;      /* default 1048576 */
    struct str encoding;           /* a name of base/encoding.h; default UTF-8 */
    struct str comment;            /* lines that start with it are no records; empty: there are none */
    int64_t skip_top, skip_bottom; /* lines above the header and below the last record that are no records */
    struct str *null_markers;      /* texts that stand for null, quoted or not, besides the unquoted empty one */
    size_t null_marker_count;
    /* how numbers are written, for the casts; empty: the decimal point, and no thousands separators */
    struct str decimal_separator, thousands_separator;
};

struct contract {
    struct str path; /* of the file */
    struct str hash; /* sha256 of the file's bytes, hex */
    struct str id, api_version, version, status, domain, purpose;
    struct str owner, owner_contact;
    struct str table;            /* physicalName, `<schema>.<table>` */
    struct contract_place place; /* of the schema object */
    struct str granularity;      /* dataGranularityDescription */
    struct contract_source source;
    struct str bronze_table, quarantine_table;
    struct str *bronze_properties; /* name, value, name, value, ... */
    size_t bronze_property_count;  /* pairs */
    struct contract_column *columns;
    size_t column_count;
    struct contract_rule *rules;
    size_t rule_count;
    struct contract_check *checks;
    size_t check_count;
    size_t *keys; /* column indexes, in order */
    size_t key_count;
    struct contract_order *latest_by;
    size_t latest_by_count;
    struct expr *update_when; /* over columns named `source.x` -> new row, `target.x` -> old row (see contract docs);
                                 NULL for the default */
    struct str update_when_text;
    /* gates; the reject limit is limit_scaled / 10^limit_scale percent */
    int64_t limit_scaled;
    int limit_scale;
    struct contract_place limit_place; /* 0,0 for the default */
    int64_t min_rows, max_rows;        /* -1 when open */
    struct contract_place min_rows_place, max_rows_place;
    struct str *unchecked; /* what is declared and not checked yet, one phrase each with its place: `line 40: quality
                              freshness` */
    size_t unchecked_count;
};

/**
 * Read one file.
 *
 * @param path  as the user knows it
 * @param[out] out  an array with one contract per schema object; of a file with errors it may hold less, or contracts
 * not fit for use
 * @param[out] diagnostics  every mistake; path and text are set
 * @return OK even if there are mistakes: look at diagnostics->error_count
 */
enum assay_code contract_parse(struct str text, struct str path, struct arena *arena, struct contract **out,
                               size_t *count, struct diagnostics *diagnostics);

/**
 * What `assay init` writes: a small first contract of `<schema>.<table>` with comments, free of mistakes and warnings,
 * and the assay.yaml of a project. Both are appended.
 */
void contract_init_text(struct str table, struct buf *contract, struct buf *project);

#endif
