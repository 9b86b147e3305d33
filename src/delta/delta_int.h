/** What the files of delta/ share. No other module includes this. */
#ifndef DELTA_DELTA_INT_H
#define DELTA_DELTA_INT_H

#include "base/json.h"
#include "delta/delta.h"

/* ---- path.c: the `path` of file actions ---- */

/**
 * Percent-decode a path of the log once and make it relative to the table's root.
 * @param folder  the root as an absolute path, so that absolute paths inside it are understood; may be empty
 * @return OK; UNSUPPORTED outside of the root, or another scheme; CORRUPT `..`, NUL, a broken percent sign
 */
enum assay_code delta_path_decode(struct str raw, struct str folder, struct arena *arena, struct str *out,
                                  struct assay_error *err) NODISCARD;

/* ---- actions.c: one line of a commit ---- */

enum delta_action_kind {
    DELTA_ACTION_OTHER, /* cdc, commitInfo without use here, unknown */
    DELTA_ACTION_ADD,
    DELTA_ACTION_REMOVE,
    DELTA_ACTION_METADATA,
    DELTA_ACTION_PROTOCOL,
    DELTA_ACTION_TXN,
    DELTA_ACTION_COMMIT_INFO,
};

/** Views borrow from the parsed line (and the scratch arena); valid only during the call that gets it. */
struct delta_action {
    enum delta_action_kind kind;
    const struct json *body;
    struct str path;                 /* add, remove: decoded */
    struct str key;                  /* add, remove: path and deletion vector; what identifies a logical file */
    bool has_vector;                 /* add, remove */
    bool is_data_change;             /* add, remove; true if absent */
    int64_t size_bytes, modified_ms; /* add */
    struct str stats;                /* add, remove */
};

typedef enum assay_code delta_action_fn(void *context, const struct delta_action *action, struct assay_error *err);

/**
 * Call `each` for every action of a commit.
 * @param where  the commit's name, for errors; lines are counted from 1
 * @param folder as in delta_path_decode
 * @return OK; CORRUPT cut off, not JSON, a required member missing or of a wrong type; UNSUPPORTED; what `each` returns
 */
enum assay_code delta_actions_each(struct str text, const char *where, struct str folder, delta_action_fn *each,
                                   void *context, struct assay_error *err) NODISCARD;

/** Identity of the deletion vector as the protocol makes it; empty if there is none. */
struct str delta_vector_id(struct arena *arena, struct str storage, struct str path_or_inline, bool has_offset,
                           int64_t offset);

/** The body of a file action: everything but `stats`, as JSON. */
void delta_add_print_rest(struct buf *out, const struct json *body);
enum assay_code delta_protocol_parse(const struct json *body, const char *where, struct arena *arena,
                                     struct delta_protocol *out, struct assay_error *err) NODISCARD;
enum assay_code delta_txn_parse(const struct json *body, struct arena *arena, struct delta_txn *out,
                                struct assay_error *err) NODISCARD;

/* ---- metadata.c, schema.c ---- */

enum assay_code delta_metadata_parse(const struct json *body, const char *where, struct arena *arena,
                                     struct delta_metadata *out, struct assay_error *err) NODISCARD;
void delta_metadata_print(struct json_writer *w, const struct delta_metadata *metadata);
/** What the protocol and Spark ask of a table's metadata: names, duplicates, partition columns. */
enum assay_code delta_metadata_check(const struct delta_metadata *metadata, struct assay_error *err) NODISCARD;
bool delta_is_partition_column(const struct delta_metadata *metadata, struct str name);
/** Calls with the name and text of every `delta.constraints.<name>`. False at the end. `*index` starts at 0. */
bool delta_constraint_next(const struct delta_metadata *metadata, size_t *index, struct str *name, struct str *text);

enum assay_code delta_schema_parse(struct str schema_string, const char *where, struct arena *arena,
                                   struct delta_schema *out, struct assay_error *err) NODISCARD;
/** `code` and the name of a column that is there twice, ASCII case ignored. */
enum assay_code delta_schema_check_unique(const struct delta_schema *schema, enum assay_code code,
                                          struct assay_error *err) NODISCARD;
void delta_schema_print(struct buf *out, const struct delta_schema *schema);
/** The engine's name of a field's type. UNSUPPORTED names a type that assay does not know. */
enum assay_code delta_field_type_engine(const struct delta_field *field, struct buf *out,
                                        struct assay_error *err) NODISCARD;
/** Number of leaf columns as data skipping counts them; an array or map is one. */
size_t delta_field_leaves(const struct delta_field *field);
/** Whether the text of a type names this primitive anywhere, also in nested types. */
bool delta_field_mentions(const struct delta_field *field, const char *primitive);
bool delta_field_is_struct(const struct delta_field *field);
/** A member of the field's metadata as text; false if absent. Strings are given as they are, others as JSON. */
bool delta_field_meta(const struct delta_field *field, const char *key, struct arena *arena, struct str *out);

/* ---- protocol.c ---- */

/** UNSUPPORTED names the reader feature or version that assay cannot honour. */
enum assay_code delta_protocol_readable(const struct delta_protocol *protocol, const struct delta_metadata *metadata,
                                        struct assay_error *err) NODISCARD;
/** The same for writing. */
enum assay_code delta_protocol_writable(const struct delta_protocol *protocol, const struct delta_metadata *metadata,
                                        struct assay_error *err) NODISCARD;
/** The protocol that a table of this metadata needs, never lower than `base` (NULL: a new table). True if it differs
 * from base. */
bool delta_protocol_derive(const struct delta_protocol *base, const struct delta_metadata *metadata,
                           struct arena *arena, struct delta_protocol *out);
void delta_protocol_print(struct json_writer *w, const struct delta_protocol *protocol);

/* ---- log.c: the files of _delta_log ---- */

struct delta_checkpoint {
    int64_t version;
    struct str *keys; /* its parts in order */
    size_t count;
};
struct delta_log {
    struct str prefix; /* store key of _delta_log */
    int64_t *commits;  /* versions, ascending */
    size_t commit_count;
    struct store_entry *entries;          /* of the commits, in the same order */
    struct delta_checkpoint *checkpoints; /* classic and complete multi-part, ascending */
    size_t checkpoint_count;
    int64_t v2_version; /* newest checkpoint by UUID name, which is not read; -1 if none */
};
enum assay_code delta_log_list(struct store *store, struct str root, struct arena *arena, struct delta_log *out,
                               struct assay_error *err) NODISCARD;
/** Store key of a commit. */
struct str delta_log_commit_key(struct arena *arena, struct str root, int64_t version);
/** Newest version that the log knows, or -1. */
int64_t delta_log_newest(const struct delta_log *log);
/** OK if every commit after `from` up to `to` is there; CORRUPT names the first gap. */
enum assay_code delta_log_contiguous(const struct delta_log *log, int64_t from, int64_t to,
                                     struct assay_error *err) NODISCARD;

/* ---- keyset.c: a map from text to a number ---- */

struct delta_key {
    struct str text;
    size_t value;
    uint32_t round; /* the caller's */
};
struct delta_keyset {
    struct delta_key *slots;
    size_t capacity, count;
};
/** The entry of a text, made (value SIZE_MAX, round 0) if it is new; the text is copied into the arena then. Valid
 * until the next call. */
struct delta_key *delta_keyset_put(struct delta_keyset *set, struct str text, struct arena *arena);
const struct delta_key *delta_keyset_find(const struct delta_keyset *set, struct str text);
void delta_keyset_free(struct delta_keyset *set);

/* ---- replay.c, checkpoint.c ---- */

/** State of a replay from the newest action to the oldest: what is seen first wins. */
struct delta_replay {
    struct arena *arena; /* of the snapshot */
    struct delta_snapshot *snapshot;
    struct str folder;
    const char *where; /* the commit or checkpoint that is read */
    struct delta_keyset files, apps;
    size_t file_capacity, txn_capacity;
    uint32_t round; /* commits are numbered; a later line of the same commit wins */
    bool has_metadata, has_protocol, has_vector;
};
/** A file that stands, unless its key was seen in a newer commit. Everything in it must outlive the snapshot. */
void delta_replay_add(struct delta_replay *replay, struct str key, const struct delta_file *file);
bool delta_replay_is_seen(const struct delta_replay *replay, struct str key);
enum assay_code delta_replay_txn(struct delta_replay *replay, const struct delta_txn *txn);
enum assay_code delta_checkpoint_read(struct engine *engine, struct store *store,
                                      const struct delta_checkpoint *checkpoint, struct delta_replay *replay,
                                      struct assay_error *err) NODISCARD;

/* ---- stats_text.c: the JSON of `stats` ---- */

/** A view of the value at the path `section.column` (or of the top-level member `section` if column is empty), as raw
 * JSON text with its quotes; false if it is absent, null, or the text is no JSON. Never goes through a double. */
bool delta_stats_find(struct str stats, const char *section, struct str column, struct str *raw);
/** An integer member such as numRecords, or -1. */
int64_t delta_stats_int(struct str stats, const char *section, struct str column);
/** The text of a raw JSON string; false if it is not one. */
bool delta_stats_text(struct str raw, struct arena *arena, struct str *out);

/* ---- stats.c ---- */

/** The stats of a file that assay wrote. */
struct str delta_stats_make(const struct delta_metadata *metadata, const struct engine_file *file, struct arena *arena);

/* ---- bounds.c: values that can be compared ---- */

__extension__ typedef __int128 delta_int128;
struct delta_bound {
    bool is_open;        /* nothing is known on this side */
    delta_int128 number; /* integers, dates (days), timestamps (us), decimals (unscaled at the column's scale) */
    double real;
    struct str text;
};
/** From the text of an engine value; open if it cannot be understood. */
struct delta_bound delta_bound_of_text(struct str text, struct type type);
/** From a raw JSON value of the stats; a maximum of a timestamp is raised by the millisecond that the protocol cuts
 * off. */
struct delta_bound delta_bound_of_stats(struct str raw, struct type type, bool is_max, struct arena *arena);
int delta_bound_cmp(const struct delta_bound *a, const struct delta_bound *b, struct type type);

/* ---- prune.c ---- */

struct delta_stats_range {
    struct type type;
    struct str column;
    struct delta_bound min, max;
};
/** The ranges with the types of their columns; ranges over columns that are not there or have no bounds are left out.
 */
void delta_ranges_resolve(const struct delta_metadata *metadata, const struct delta_range *ranges, size_t count,
                          struct arena *arena, struct delta_stats_range **out, size_t *out_count);
/** Whether a file with these stats may hold a row inside all ranges. partition may be NULL. */
bool delta_stats_may_match(const struct delta_metadata *metadata, struct str stats, const struct str *partition,
                           const struct delta_stats_range *ranges, size_t count, struct arena *arena);

/* ---- scan.c ---- */

/** read_parquet over exact files with exactly these columns, by name; what a file lacks is NULL. */
void delta_sql_parquet(struct buf *sql, const struct str *paths, size_t path_count, const struct str *names,
                       const struct str *types, size_t column_count);

/* ---- enforce.c ---- */

struct delta_rule {
    struct str name; /* as an error names it: `CHECK constraint "total_ok" (total >= 0)` */
    struct str sql;  /* TRUE for a row that keeps it */
};
/** Everything a row of the table must satisfy. UNSUPPORTED names a text outside the rule language. engine NULL: only
 * look. */
enum assay_code delta_rules_load(const struct delta_metadata *metadata, struct engine *engine, struct arena *arena,
                                 struct delta_rule **out, size_t *count, struct assay_error *err) NODISCARD;

/* ---- commit.c, commit_text.c, conflict.c ---- */

/** A commit on its way. */
struct delta_attempt {
    struct store *store;
    struct str root;
    const struct delta_commit *commit;
    struct arena *arena;
    struct str txn_id;
    struct str *add_keys; /* store keys of the published files */
    struct str text;      /* the commit file */
};
/** The whole text of the commit; add_keys and txn_id are set. */
enum assay_code delta_commit_text(struct delta_attempt *attempt, struct assay_error *err) NODISCARD;
/** OK if the winner's commit cannot matter to ours; CONFLICT says who and what. */
enum assay_code delta_conflict_check(const struct delta_attempt *attempt, int64_t version, struct str text,
                                     struct assay_error *err) NODISCARD;

#endif
