/**
 * The plan: what a contract means, as plain data. What to read, how to clean and cast each column, which rules with
 * which reasons, the grain, the merge, what stops the batch, what stands on the tables. Pure: made from a contract
 * alone, printable, testable. The embedded engine and Spark are two printings of it.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "contract/contract.h"

/* Columns that assay adds, by their names in every table. */
#define LINEAGE_SOURCE_FILE "_source_file"      /* string, path inside the lake, `Files/landing/...` */
#define LINEAGE_SOURCE_LINE "_source_line"      /* bigint, physical line from 1 */
#define LINEAGE_BATCH_ID "_batch_id"            /* string */
#define LINEAGE_LOADED_AT "_loaded_at"          /* timestamp, one per batch load, whole milliseconds */
#define BRONZE_CORRUPT_RECORD "_corrupt_record" /* string */
#define BRONZE_CORRUPT_BYTES "_corrupt_bytes"   /* binary, added at first need */
#define QUARANTINE_RAW_PREFIX "raw_"
#define QUARANTINE_REASON "_reject_reason"     /* string, joined by "; " */
#define QUARANTINE_RULES "_reject_rules"       /* array<struct<rule,column,reason>> */
#define QUARANTINE_VERSION "_contract_version" /* string */
#define QUARANTINE_AT "_quarantined_at"        /* timestamp */

/** One column of silver. */
struct plan_column {
    struct str name;
    struct type type;
    size_t source;      /* index into source_columns */
    struct expr *clean; /* text to text over the source column, NULL: as it is */
    struct str format;  /* empty: the plain cast */
    bool is_required;
    bool is_scale_strict;
    bool is_rounded; /* decimal whose cast may round: the run counts it */
    bool is_personal; /* its classification says so: consoles and exports mask its values */
    struct str description;
};

/** One question asked of every row, in contract order. A row passes when the answer is TRUE. */
struct plan_rule {
    struct str id;
    struct str reason; /* "missing order_id", "invalid order_total", "failed order_dates" */
    enum contract_rule_kind kind;
    size_t column; /* index, or SIZE_MAX */
    enum contract_severity severity;
    /**
     * Over the clean, typed columns by name; checked. For column rules it is asked only where the column has a value.
     * NULL for REQUIRED, CAST, SCALE (asked by their kind of the raw text) and REFERENCE.
     */
    struct expr *predicate;
    struct str reference_table, reference_column, reference_active_when;
};

/** A number of a contract, exactly as written: scaled / 10^scale. */
struct plan_decimal {
    int64_t scaled;
    int scale;
};

/** A question asked of a batch as a whole before silver is touched; what each metric measures stands in contract.h. */
struct plan_check {
    struct str id;
    struct str what;  /* "rows without phone", "rows that repeat email" */
    struct str limit; /* "at most 1 %", "between 10 and 20" */
    enum contract_metric metric;
    size_t *columns;
    size_t column_count;
    /**
     * Over the clean, typed columns; checked. MISSING_VALUES: TRUE for a value that counts as missing; INVALID_VALUES:
     * TRUE for a valid value; MATCHING_ROWS: TRUE for a row that counts. NULL: there is nothing more to ask.
     */
    struct expr *predicate;
    enum contract_operator op;
    struct plan_decimal low, high;
    bool is_percent;
    size_t rule;         /* REJECTED_ROWS: index */
    int64_t batch_count; /* VOLUME: how many of the last good batches count at most */
    enum contract_severity severity;
    struct contract_place place;
};

/** A CHECK on silver, by name; the predicate passes NULL where the rule does (`col IS NULL OR (...)`). */
struct plan_constraint {
    struct str name;
    struct expr *predicate;
    struct str text; /* in Spark SQL */
};

struct plan_order {
    struct str column; /* a contract column or a lineage column */
    size_t index;      /* of the contract column, or SIZE_MAX for lineage */
    bool is_ascending;
};

struct plan_property {
    struct str name, value;
};

struct plan {
    struct str table, bronze_table, quarantine_table; /* `<schema>.<table>` */
    struct str contract_id, contract_version, contract_hash, contract_path;
    struct str owner, owner_contact, purpose, granularity;
    struct contract_source source;
    struct str *source_columns; /* names in the files, contract order, each once */
    size_t source_column_count;
    /** One line of JSON: every setting that changes what bronze holds (format, header, delimiter, quote, escape,
     * multiLine, maxRecordBytes, encoding, source columns). Same text = the same files read the same way. */
    struct str reader_settings;
    struct plan_column *columns;
    size_t column_count;
    bool has_personal; /* a column is */
    struct plan_rule *rules; /* corrupt record first is understood and not listed */
    size_t rule_count;
    struct plan_check *checks; /* contract order */
    size_t check_count;
    size_t *keys;
    size_t key_count;
    struct plan_order *order; /* contract's latestBy, then _source_file desc and _source_line desc if not in it */
    size_t order_count;
    size_t version_count;     /* the leading entries of order that are contract columns: they are the row's version */
    struct expr *update_when; /* see contract.h; NULL: the default condition */
    struct str update_when_text;
    struct plan_constraint
        *constraints; /* `<col> <> ''` of required strings, then the rules' CHECKs, in contract order */
    size_t constraint_count;
    struct plan_property *bronze_properties;
    size_t bronze_property_count;
    int64_t limit_scaled; /* reject limit: limit_scaled / 10^limit_scale percent */
    int limit_scale;
    struct contract_place limit_place;
    int64_t min_rows, max_rows; /* -1: open */
    struct contract_place min_rows_place, max_rows_place;
    struct str *unchecked;
    size_t unchecked_count;
};

/** @return OK; INVALID a contract that passed lint but cannot be planned (named). The plan borrows nothing but the
 * arena's memory and the contract. */
enum assay_code plan_compile(const struct contract *contract, struct arena *arena, struct plan **out,
                             struct assay_error *err) NODISCARD;

/** For people: what is read, each column, each rule with its reason, grain, merge, stops, constraints, what is not
 * checked. */
void plan_print(const struct plan *plan, struct buf *out);
/** One JSON object with all of it. */
void plan_print_json(const struct plan *plan, struct buf *out);

/** Condition of the MERGE's update in Spark SQL, over `source` and `target`: the contract's updateWhen, else the
 * default written out. That a contract column must differ comes on top of it. */
struct str plan_update_text(const struct plan *plan, struct arena *arena);

/** The reject limit as `5` or `0.5`. */
struct str plan_limit_text(const struct plan *plan, struct arena *arena);
/** Whether rejected of landed is above the limit, on integers. */
bool plan_limit_exceeded(const struct plan *plan, int64_t rejected, int64_t landed);

/** error, warning or info. */
struct str plan_severity_text(enum contract_severity severity);
/** The gate that a check of severity error is: `quality`, `rule_limit`, `volume` or `freshness`. */
const char *plan_check_gate(const struct plan_check *check);
/** `2 d`, `90 min`; with a fraction where it is no whole number of the largest unit. */
struct str plan_age_text(int64_t seconds, struct arena *arena);
/** Whether a count of rows out of `total` keeps the check's bound; the percentage of no rows is 0. On integers. */
bool plan_check_passes(const struct plan_check *check, int64_t count, int64_t total);

/** `<schema>.<table>` -> key of the table's folder, `Tables/<schema>/<table>`. INVALID if it is not such a name. */
enum assay_code plan_table_root(struct str table, struct arena *arena, struct str *out,
                                struct assay_error *err) NODISCARD;
/** OK, or INVALID (exit 2, gate batch_id): an id is [A-Za-z0-9_-]+. */
enum assay_code plan_batch_check(struct str batch_id, struct assay_error *err) NODISCARD;

#endif
