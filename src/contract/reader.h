/**
 * Inside of the contract module: what its readers share. Nobody else includes it.
 *
 * A file is read in three steps: yaml (base), shape (what the standard and assay allow where: shape.h), meaning
 * (read_*.c). A reader of meaning looks only at nodes of the right shape and says nothing of others, because the shape
 * step has said it.
 */
#ifndef CONTRACT_READER_H
#define CONTRACT_READER_H

#include "base/yaml.h"
#include "contract/contract.h"

struct reader {
    struct arena *arena;
    struct diagnostics *diagnostics;
    const struct yaml_node *root;
    int minor;                     /* of apiVersion: v3.<minor> */
    struct contract *contract;     /* the one being filled */
    const struct yaml_node *table; /* its object of `schema` */
    struct str table_name;         /* `name` of the object, as slaProperties call it */
    size_t rule_capacity, check_capacity, unchecked_capacity;
};

/* ---- mistakes (report.c, place.c) ---- */

/** What the caret marks. */
struct mark {
    uint32_t line, column, length;
};

struct mark mark_node(const struct reader *r, const struct yaml_node *node);
struct mark mark_key(const struct yaml_member *member);
/** The key of a member that is there, else the node that lacks it. */
struct mark mark_member(const struct reader *r, const struct yaml_node *mapping, const char *key);
/** Bytes [offset, offset + length) of a scalar's text, found in the source whatever its style; the whole scalar if they
 * cannot be found. */
struct mark mark_text(const struct reader *r, const struct yaml_node *scalar, size_t offset, size_t length);

void report_error(struct reader *r, struct mark at, const char *code, struct str help, const char *format, ...)
    PRINTF_LIKE(5, 6);
void report_warning(struct reader *r, struct mark at, const char *code, struct str help, const char *format, ...)
    PRINTF_LIKE(5, 6);
/** Text of the user as a message shows it: cut when long. */
struct str shown(const struct reader *r, struct str text);
/** `did you mean 'x'?`, else `one of: a, b, c` when there are few, else empty. */
struct str hint_names(const struct reader *r, struct str name, const struct str *names, size_t count);
/** A mistake that expr found in `text`, whose bytes stand in the scalar at `origin` (NULL: at the same offsets). */
void report_expr(struct reader *r, const struct yaml_node *scalar, struct str text, const uint32_t *origin,
                 const struct assay_error *err);

/* ---- reading nodes (nodes.c) ---- */

/** The member's text if it is a scalar with a value, else empty. */
struct str text_of(const struct yaml_node *mapping, const char *key);
/** The member if it is of that kind and has a value, else NULL. */
const struct yaml_node *scalar_of(const struct yaml_node *mapping, const char *key);
const struct yaml_node *list_of(const struct yaml_node *mapping, const char *key);
const struct yaml_node *mapping_of(const struct yaml_node *mapping, const char *key);
/** A boolean member; `otherwise` when it is absent. */
bool flag_of(const struct yaml_node *mapping, const char *key, bool otherwise);
/** The member or item at index, NULL if it is no mapping or beyond the end. */
const struct yaml_node *mapping_at(const struct yaml_node *list, size_t index);
struct contract_place place_of(const struct yaml_node *node);

/** Whether a customProperties item is assay's; *name is what follows `assay`, first letter small. */
bool custom_is_assay(const struct yaml_node *item, struct str *name);
/** The value of assay's custom property at this place, in the form of 3.1 or of 3.2; NULL if absent. */
const struct yaml_node *custom_of(const struct yaml_node *owner, const char *name);

/* ---- names, numbers (names.c, decimal_text.c) ---- */

/** `<schema>.<table>`; `schema` is put before a bare name. An unfit name is reported at the node. */
struct str table_name_read(struct reader *r, const struct yaml_node *node, struct str text, const char *schema);
/** Report a name that Delta refuses without column mapping, or that assay needs for itself. */
void column_name_check(struct reader *r, struct mark at, struct str name, const char *what);
/** Index of the column (case ignored), or SIZE_MAX. */
size_t column_find(const struct contract *contract, struct str name);
/** Names of all contract columns. */
struct str *column_names(const struct reader *r);
/** Columns as expr_check wants them. */
struct expr_column *column_types(const struct reader *r);

/** Whether it is digits with an optional sign and fraction. */
bool decimal_text_is(struct str text);
/** <0, 0, >0, by value. Both must be decimal texts. */
int decimal_text_compare(struct str a, struct str b);

/* ---- meaning (read_*.c) ---- */

void read_identity(struct reader *r, struct contract *out);
void read_table(struct reader *r);
void read_source(struct reader *r);
/** The dialect of assaySource, for read_source. */
void read_dialect(struct reader *r, const struct yaml_node *source, struct contract_source *out);
void read_columns(struct reader *r);
void read_grain(struct reader *r);
void read_merge(struct reader *r);
void read_batch(struct reader *r);
void read_sla(struct reader *r);
/** Report service levels whose element is no table of the file. */
void check_sla_elements(struct reader *r);
void read_rules(struct reader *r);

/** The type of a property; kind NONE after a mistake. */
struct type read_type(struct reader *r, const struct yaml_node *property);
/** transformLogic: sets the column's source and clean. */
void read_clean(struct reader *r, const struct yaml_node *property, struct contract_column *column);
/** logicalTypeOptions.format of a date or timestamp. */
void read_datetime_format(struct reader *r, const struct yaml_node *scalar);
/** Whether text is a value of the type, as bounds and allowed values are written. */
bool value_fits(const struct reader *r, struct type type, struct str text);

/** Whether a scalar without quotes is a boolean, a date or another number to readers of YAML 1.1 (`no`, `007`, `1.10`).
 */
bool is_ambiguous(const struct yaml_node *node);
void warn_ambiguous(struct reader *r, const struct yaml_node *node);

/** logicalTypeOptions: range, length, pattern, and the options that are not checked. */
void read_options(struct reader *r, const struct yaml_node *property, size_t column);
/** The allowed values of a list, items or (in `enum`) their `value`. */
void read_allowed(struct reader *r, const struct yaml_node *list, size_t column, struct str **out, size_t *count);
/** The texts of arguments.missingValues that are values of the column's type; others are never values and reported. */
void read_missing(struct reader *r, const struct yaml_node *list, size_t column, struct str **out, size_t *count);
/** Whether a pattern compiles; it is reported at the node if not. */
bool pattern_check(struct reader *r, const struct yaml_node *scalar);
/** One list of quality items; column is SIZE_MAX for those of the table. */
void read_quality(struct reader *r, const struct yaml_node *list, size_t column);
/** How an item's `severity` counts. */
enum contract_severity read_severity(const struct yaml_node *item);
/** The item's id; without one its name, made fit, else `otherwise`. */
struct str quality_id(struct reader *r, const struct yaml_node *item, struct str otherwise);
/** An item of quality as a check of the batch; false if it is none that assay knows. */
bool read_check(struct reader *r, const struct yaml_node *item, struct str metric, size_t column);
/** assayMaxRejectPercent of an item that became the rule. */
void read_rule_limit(struct reader *r, const struct yaml_node *item, size_t rule);
/** assayBatch.volume. */
void read_volume(struct reader *r, const struct yaml_node *volume);
/** A service level `freshness` of a date or timestamp column of this table; false if it is another. After the columns.
 */
bool read_freshness(struct reader *r, const struct yaml_node *item);
/** relationships of a property. */
void read_references(struct reader *r, const struct yaml_node *list, size_t column);
/** A rule's expression over the row, parsed and checked; NULL after a mistake. */
struct expr *read_predicate(struct reader *r, const struct yaml_node *scalar, struct str text, const uint32_t *origin);

enum row_query { ROW_QUERY_NOT_ONE, ROW_QUERY_BROKEN, ROW_QUERY_PREDICATE };
/** `SELECT COUNT(*) FROM {object} WHERE NOT (predicate)` taken apart; as a `condition`, what follows WHERE, whatever it
 * is. BROKEN has been reported. */
enum row_query read_row_query(struct reader *r, const struct yaml_node *scalar, size_t column, bool as_condition,
                              struct expr **out);

/** A rule in the contract's list; its id, column and kind are to be set. */
struct contract_rule *rule_add(struct reader *r, enum contract_rule_kind kind, size_t column,
                               struct contract_place place);
/** A check in the contract's list, of a column or (SIZE_MAX) of the table; its id and bounds are to be set. */
struct contract_check *check_add(struct reader *r, enum contract_metric metric, size_t column,
                                 struct contract_place place);
/** `<column>_<suffix>` */
struct str rule_id(const struct reader *r, size_t column, const char *suffix);
/** Report ids that two rules have. */
void check_rule_ids(struct reader *r);

/** `line N: <phrase>` to what is declared and not checked. */
void unchecked_add(struct reader *r, uint32_t line, const char *format, ...) PRINTF_LIKE(3, 4);

#endif
