/** What the files of delta/ share. No other module includes this. */
#ifndef DELTA_DELTA_INT_H
#define DELTA_DELTA_INT_H

#include "base/json.h"
#include "delta/delta.h"

/* ---- path.c: the `path` of file actions ---- */

/**
 * Percent-decode a path of the log once and make it relative to the table's root, if it lies below it.
 * @param folder  the root as an absolute path, so that absolute paths inside it are understood; may be empty
 * @return OK *out is relative or, of a file elsewhere, starts with a slash; UNSUPPORTED another scheme; CORRUPT `..`,
 * NUL, a broken percent sign
 */
enum assay_code delta_path_decode(struct str raw, struct str folder, struct arena *arena, struct str *out,
                                  struct assay_error *err) NODISCARD;

/** Folders in which absolute paths may lie; links followed. */
struct delta_places {
    struct str *folders;
    size_t count;
};
/** Those that the engine was opened with; none without an engine. */
struct delta_places delta_places_of(const struct engine *engine, struct arena *arena);
/** OK if the absolute path lies in one of them, links followed; else UNSUPPORTED names it. */
enum assay_code delta_places_check(const struct delta_places *places, struct str path, struct arena *arena,
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
    DELTA_ACTION_DOMAIN,
    DELTA_ACTION_SIDECAR, /* of a V2 checkpoint */
};

/** Views borrow from the parsed line (and the scratch arena); valid only during the call that gets it. */
struct delta_action {
    enum delta_action_kind kind;
    const struct json *body;
    struct str path;                 /* add, remove: decoded */
    struct str key;                  /* add, remove: path and deletion vector; what identifies a logical file */
    bool has_vector;                 /* add, remove */
    struct delta_vector vector;      /* if has_vector */
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

/** What identifies a logical file: its path and its deletion vector (NULL: none). */
struct str delta_file_key(struct arena *arena, struct str path, const struct delta_vector *vector);

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

enum assay_code delta_schema_parse(struct str schema_string, const char *where, struct arena *arena,
                                   struct delta_schema *out, struct assay_error *err) NODISCARD;
/** `code` and the name of a column that is there twice, ASCII case ignored. */
enum assay_code delta_schema_check_unique(const struct delta_schema *schema, enum assay_code code,
                                          struct assay_error *err) NODISCARD;
void delta_schema_print(struct buf *out, const struct delta_schema *schema);
/** The engine's name of a field's type. UNSUPPORTED names a type that assay does not know. */
enum assay_code delta_field_type_engine(const struct delta_field *field, struct buf *out,
                                        struct assay_error *err) NODISCARD;
enum delta_mapping { DELTA_MAPPING_NONE, DELTA_MAPPING_NAME, DELTA_MAPPING_ID };
/** The same of the type as files have it: members of structs by their names there; void, which no file has, as
 * INTEGER. */
enum assay_code delta_field_type_stored(const struct delta_field *field, enum delta_mapping mapping, struct buf *out,
                                        struct assay_error *err) NODISCARD;
/** What a member of a struct is called: in files with column mapping, or in the schema. Borrowed. */
struct str delta_member_name(const struct json *field, bool is_mapped);
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
/** OK if every feature is known by name, so that nothing it keeps in the log is lost in a checkpoint. UNSUPPORTED. */
enum assay_code delta_protocol_known(const struct delta_protocol *protocol, struct assay_error *err) NODISCARD;
/** Whether a feature is listed for readers or writers. */
bool delta_protocol_lists(const struct delta_protocol *protocol, const char *feature);
/** The protocol that a table of this metadata needs, never lower than `base` (NULL: a new table). True if it differs
 * from base. */
bool delta_protocol_derive(const struct delta_protocol *base, const struct delta_metadata *metadata,
                           struct arena *arena, struct delta_protocol *out);
void delta_protocol_print(struct json_writer *w, const struct delta_protocol *protocol);

/* ---- log.c: the files of _delta_log ---- */

enum delta_checkpoint_kind { DELTA_CHECKPOINT_SINGLE, DELTA_CHECKPOINT_PARTS, DELTA_CHECKPOINT_V2 };
struct delta_checkpoint {
    int64_t version;
    enum delta_checkpoint_kind kind; /* by its name; a single file may hold V2 content too */
    struct str *keys;                /* its parts in order */
    size_t count;
};
/** `<from>.<to>.compacted.json`: stands for the commits `from` to `to`. */
struct delta_compaction {
    int64_t from, to;
    struct str key;
};
struct delta_log {
    struct str prefix; /* store key of _delta_log */
    int64_t *commits;  /* versions, ascending */
    size_t commit_count;
    struct store_entry *entries;          /* of the commits, in the same order */
    struct delta_checkpoint *checkpoints; /* those in parts only when complete; by version, then kind */
    size_t checkpoint_count;
    struct delta_compaction *compactions; /* by `to`, then `from` */
    size_t compaction_count;
};
enum assay_code delta_log_list(struct store *store, struct str root, struct arena *arena, struct delta_log *out,
                               struct assay_error *err) NODISCARD;
/** Store key of a commit. */
struct str delta_log_commit_key(struct arena *arena, struct str root, int64_t version);
/** Newest version that the log knows, or -1. */
int64_t delta_log_newest(const struct delta_log *log);
/** Whether a file of the log with this name, a commit, checkpoint, checksum or compaction, is of no use to a reader
 * that starts from a checkpoint of `version`. */
bool delta_log_is_before(struct str name, int64_t version);
/** Whether the commit file of this version was listed. */
bool delta_log_has_commit(const struct delta_log *log, int64_t version);
/** The compaction that ends with `to`, begins after `base` and reaches back farthest, or NULL. */
const struct delta_compaction *delta_log_compaction(const struct delta_log *log, int64_t base, int64_t to);

/* ---- time_travel.c ---- */

/** Milliseconds of each commit's file, in the order of log->commits, made to rise. */
int64_t *delta_log_times(const struct delta_log *log, struct arena *arena);
/** The in-commit timestamp of a commit, or -1. */
enum assay_code delta_commit_time(struct store *store, struct str key, int64_t *ms, struct assay_error *err) NODISCARD;

/* ---- keyset.c: a map from text to a number ---- */

struct delta_key {
    struct str text;
    size_t value; /* the rest is the caller's */
    uint32_t round;
    bool is_gone;
};
struct delta_keyset {
    struct delta_key *slots;
    size_t capacity, count;
};
/** The entry of a text, made (value SIZE_MAX, all else 0) if it is new; the text is copied into the arena then. Valid
 * until the next call. */
struct delta_key *delta_keyset_put(struct delta_keyset *set, struct str text, struct arena *arena);
const struct delta_key *delta_keyset_find(const struct delta_keyset *set, struct str text);
void delta_keyset_free(struct delta_keyset *set);

/* ---- replay.c, checkpoint.c ---- */

/** A remove action that stands: a file that is gone, which VACUUM must keep for a while. */
struct delta_tombstone {
    struct str raw; /* the action's body as JSON, without stats and tags, as checkpoints have it; empty: added again */
    int64_t deleted_ms;
};
/** What a checkpoint has and a snapshot has no use for. */
struct delta_remains {
    struct str protocol, metadata; /* the actions' bodies as JSON, as they were written */
    struct delta_tombstone *tombstones;
    size_t tombstone_count;
};
/** State of a replay from the newest action to the oldest: what is seen first wins. */
struct delta_replay {
    struct arena *arena; /* of the snapshot */
    struct delta_snapshot *snapshot;
    struct delta_remains *remains; /* NULL: not wanted */
    struct str folder;
    const char *where; /* the commit or checkpoint that is read */
    struct delta_keyset files, apps, domains;
    size_t file_capacity, txn_capacity, domain_capacity, tombstone_capacity;
    uint32_t round; /* commits are numbered; a later line of the same commit wins */
    bool has_metadata, has_protocol, is_checkpoint;
    struct str *sidecars; /* of the checkpoint that is read */
    size_t sidecar_count, sidecar_capacity;
};
/** A delta_action_fn; the context is the struct delta_replay. */
enum assay_code delta_replay_action(void *replay, const struct delta_action *action, struct assay_error *err) NODISCARD;
/** A file of a checkpoint that stands, unless its key was seen in a newer commit. Everything in it must outlive the
 * snapshot. A checkpoint names a file once; the end of the replay finds those that do not. */
void delta_replay_add(struct delta_replay *replay, const struct delta_file *file);
bool delta_replay_is_seen(const struct delta_replay *replay, struct str key);
/** delta_snapshot_load, which also keeps what a checkpoint needs. */
enum assay_code delta_replay_load(struct store *store, struct engine *engine, struct str root, int64_t version,
                                  struct arena *arena, struct delta_snapshot **out, struct delta_remains *remains,
                                  struct assay_error *err) NODISCARD;
/** The state of one checkpoint alone, which nothing stands in for. */
enum assay_code delta_replay_checkpoint(struct store *store, struct engine *engine, struct str root,
                                        const struct delta_log *log, const struct delta_checkpoint *checkpoint,
                                        struct arena *arena, struct delta_snapshot **out,
                                        struct assay_error *err) NODISCARD;
enum assay_code delta_checkpoint_read(struct engine *engine, struct store *store,
                                      const struct delta_checkpoint *checkpoint, struct delta_replay *replay,
                                      struct assay_error *err) NODISCARD;

/* ---- checkpoint_write.c, last_checkpoint.c, log_cleanup.c, checksum.c: what follows a commit ---- */

/** Whether a checkpoint is to follow the commit of this version (delta.checkpointInterval). */
bool delta_checkpoint_is_due(const struct delta_metadata *metadata, int64_t version);
struct str delta_last_checkpoint_text(const struct delta_checkpoint_report *checkpoint, struct arena *arena);
enum assay_code delta_last_checkpoint_put(struct store *store, struct str root,
                                          const struct delta_checkpoint_report *checkpoint,
                                          struct assay_error *err) NODISCARD;
/** Remove what the table's properties let expire. *removed_count is right also after a failure. */
enum assay_code delta_log_cleanup(struct engine *engine, const struct delta_snapshot *snapshot, int64_t *removed_count,
                                  struct assay_error *err) NODISCARD;

/* ---- interval.c ---- */

/** Milliseconds of an interval such as `interval 1 week`; -1 if it is not understood. */
int64_t delta_interval_ms(struct str text);
/** That of a property; `otherwise_ms` if the table does not have it. */
int64_t delta_interval_property(const struct delta_metadata *metadata, struct str name, int64_t otherwise_ms);

/* ---- in_commit_timestamp.c ---- */

bool delta_in_commit_timestamp_is_on(const struct delta_metadata *metadata);
/** The time in a commit's text, -1 if it has none. `where` names the commit in errors, which are as those of
 * delta_actions_each. */
enum assay_code delta_in_commit_timestamp_of(struct str text, const char *where, int64_t *time_ms,
                                             struct assay_error *err) NODISCARD;
/** Fill in_commit_timestamp_ms of a snapshot: -1 if they are not in use, or if its commit is gone. */
enum assay_code delta_in_commit_timestamp_load(struct delta_snapshot *snapshot, struct assay_error *err) NODISCARD;
/** Now, but later than the commit before. */
int64_t delta_in_commit_timestamp_next(int64_t before_ms);
/** If the metadata turns them on for a table (base) that did not have them, say from which version and time on. */
void delta_in_commit_timestamp_enable(struct delta_metadata *metadata, const struct delta_snapshot *base,
                                      int64_t version, int64_t time_ms, struct arena *arena);

/* ---- stats_text.c: the JSON of `stats` ---- */

/** A view of the value at the path `section.column` (or of the top-level member `section` if column is empty), as raw
 * JSON text with its quotes; false if it is absent, null, or the text is no JSON. Never goes through a double. */
bool delta_stats_find(struct str stats, const char *section, struct str column, struct str *raw);
/** An integer member such as numRecords, or -1. */
int64_t delta_stats_int(struct str stats, const char *section, struct str column);
/** The text of a raw JSON string; false if it is not one. */
bool delta_stats_text(struct str raw, struct arena *arena, struct str *out);

/* ---- stats.c ---- */

/** Which columns of the schema have stats; those that the base (may be NULL) clusters by always have. */
bool *delta_stats_columns(const struct delta_metadata *metadata, const struct delta_snapshot *base,
                          struct arena *arena);
/** The stats of a file that assay wrote. */
struct str delta_stats_make(const struct delta_metadata *metadata, const bool *columns, const struct engine_file *file,
                            struct arena *arena);

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
    struct str column, stored; /* by its names in the schema and in stats */
    struct delta_bound min, max;
};
/** The ranges with the types of their columns; ranges over columns that are not there or have no bounds are left out.
 */
void delta_ranges_resolve(const struct delta_metadata *metadata, const struct delta_range *ranges, size_t count,
                          struct arena *arena, struct delta_stats_range **out, size_t *out_count);
/** Whether a file with these stats may hold a row inside all ranges. partition may be NULL. */
bool delta_stats_may_match(const struct delta_metadata *metadata, struct str stats, const struct str *partition,
                           const struct delta_stats_range *ranges, size_t count, struct arena *arena);

/* ---- mapping.c: what columns are called in files ---- */

/** UNSUPPORTED a mode that is none of them. */
enum assay_code delta_mapping_parse(const struct delta_metadata *metadata, enum delta_mapping *out,
                                    struct assay_error *err) NODISCARD;
enum delta_renaming { DELTA_TO_SCHEMA, DELTA_TO_FILES };
/** SQL that gives the members of a value, `sql`, the names of the schema, or those of files; `sql` itself where they
 * are the same. */
enum assay_code delta_field_print_renamed(const struct delta_field *field, enum delta_mapping mapping,
                                          enum delta_renaming renaming, struct str sql, struct buf *out,
                                          struct assay_error *err) NODISCARD;
/** UNSUPPORTED a file that cannot be read by field id: it has none, or calls a nested field otherwise than the schema.
 */
enum assay_code delta_mapping_check_files(const struct delta_metadata *metadata, struct engine *engine,
                                          const struct str *paths, size_t count, struct assay_error *err) NODISCARD;

/* ---- mapping_write.c ---- */

/** COPY's FIELD_IDS for the columns that files have; empty without mapping. CORRUPT a field without an id. */
enum assay_code delta_mapping_field_ids(const struct delta_metadata *metadata, struct arena *arena, struct str *out,
                                        struct assay_error *err) NODISCARD;
/** Give a new column, and what is nested in it, ids and names in files, if the metadata maps columns. */
void delta_mapping_name_field(struct delta_metadata *metadata, struct delta_field *field, struct arena *arena);

/* ---- widening.c ---- */

/** UNSUPPORTED a change of type that the schema records and the protocol does not know. */
enum assay_code delta_widening_check(const struct delta_schema *schema, struct assay_error *err) NODISCARD;

/* ---- partition_value.c ---- */

/** Whether a text of the log is a value of the type. */
bool delta_partition_value_is(struct str text, struct type type);
/** The value as SQL that casts to the type; ptr NULL is NULL. */
void delta_partition_value_print(struct buf *sql, struct str text, struct type type);
/** The text for the log of a value as engine_query_each gives it; ptr NULL and the empty text are null. */
struct str delta_partition_value_text(struct str value, struct type type, struct arena *arena);

/* ---- bitmap.c: a set of row numbers ---- */

enum delta_container_kind { DELTA_CONTAINER_ARRAY, DELTA_CONTAINER_WORDS, DELTA_CONTAINER_RUNS };
/** Rows with the same upper 48 bits: their lower 16, in the bytes of the vector. */
struct delta_container {
    uint64_t key;
    enum delta_container_kind kind;
    unsigned count; /* values, or runs */
    const unsigned char *bytes;
};
struct delta_bitmap {
    struct delta_container *containers; /* ascending by key */
    size_t count;
    int64_t cardinality;
};
/** *out borrows the bytes. CORRUPT says what is wrong with them; UNSUPPORTED the form that came before the protocol's.
 */
enum assay_code delta_bitmap_parse(struct str bytes, struct arena *arena, struct delta_bitmap *out,
                                   struct assay_error *err) NODISCARD;
/** answers[i]: whether rows[i] is in it. Rows that ascend are found faster. */
void delta_bitmap_test(const struct delta_bitmap *bitmap, const int64_t *rows, size_t count, bool *answers);
/** The largest row, or -1. */
int64_t delta_bitmap_last(const struct delta_bitmap *bitmap);

/* ---- vector.c: deletion vectors ---- */

/** The deleted rows of a file that has a vector. CORRUPT; UNSUPPORTED; as store_get. The file is named. */
enum assay_code delta_vector_rows(const struct delta_snapshot *snapshot, const struct delta_file *file,
                                  struct arena *arena, struct delta_bitmap *out, struct assay_error *err) NODISCARD;
struct delta_vector_scan {
    const struct delta_snapshot *snapshot;
    const size_t *files; /* as in delta_scan_sql */
    size_t file_count;
};
/** Register a SQL function `<name>(file, row)`: whether the row of the scan's file-th file is deleted. It lives as long
 * as the arena. */
enum assay_code delta_vector_register(const struct delta_vector_scan *scan, struct arena *arena, struct str *name,
                                      struct assay_error *err) NODISCARD;

/* ---- scan.c ---- */

/** read_parquet over exact files with exactly these columns, by name; what a file lacks is NULL. */
void delta_sql_parquet(struct buf *sql, const struct str *paths, size_t path_count, const struct str *names,
                       const struct str *types, size_t column_count);

/* ---- write.c, write_parts.c, change_data.c ---- */

/** Rows on their way into files. */
struct delta_writing {
    struct engine *engine;
    struct staging *staging;
    const struct delta_metadata *metadata;
    const char *stem; /* of the staged names */
    bool is_checked;  /* against the table's rules; rows that were in the table are not */
    struct arena *arena;
    const struct engine_write_options *options;
};
enum assay_code delta_write_rows(const struct delta_writing *writing, struct str select, struct delta_new_files *out,
                                 struct assay_error *err) NODISCARD;
/** SELECT of the columns that files have, by their names there, and `more` (as `, "x"`), from `source`, which has those
 * of the schema. */
enum assay_code delta_print_stored(const struct delta_metadata *metadata, const char *more, const char *source,
                                   struct buf *sql, struct assay_error *err) NODISCARD;
/** Write the rows of a SELECT with the schema's columns into files of one partition each. `options` has field_ids. */
enum assay_code delta_write_parts(const struct delta_writing *writing, struct str select,
                                  const struct engine_write_options *options, struct delta_new_files *out,
                                  struct assay_error *err) NODISCARD;

/** n of a char(n), which is stored with spaces up to it; -1 for any other column. */
int64_t delta_char_length(const struct delta_field *field, struct arena *arena);

/* ---- delete.c ---- */

/** Files that hold rows to delete. */
struct delta_deletion {
    size_t *removes; /* all of them */
    size_t remove_count;
    size_t *mixed; /* those that hold other rows too */
    size_t mixed_count;
    int64_t row_count; /* rows to delete; -1: not counted, some files were judged by their stats */
};
/**
 * Judge the candidates by reading them, but those that `is_whole` says hold nothing else (may be NULL).
 */
enum assay_code delta_deletion_find(struct engine *engine, const struct delta_snapshot *snapshot, struct str predicate,
                                    const size_t *candidates, const bool *is_whole, size_t count, struct arena *arena,
                                    struct delta_deletion *out, struct assay_error *err) NODISCARD;
/** Add to the commit: the removes, the files with the rows that stay, and the changes where a feed wants them. */
enum assay_code delta_deletion_apply(struct engine *engine, struct staging *staging,
                                     const struct delta_snapshot *snapshot, const struct delta_deletion *deletion,
                                     struct str predicate, struct delta_commit *commit, struct arena *arena,
                                     struct assay_error *err) NODISCARD;

/* ---- enforce.c ---- */

struct delta_rule {
    struct str name; /* as an error names it: `CHECK constraint "total_ok" (total >= 0)` */
    struct str sql;  /* TRUE for a row that keeps it */
};
/** Everything a row of the table must satisfy. UNSUPPORTED names a text outside the rule language. engine NULL: only
 * look. */
enum assay_code delta_rules_load(const struct delta_metadata *metadata, struct engine *engine, struct arena *arena,
                                 struct delta_rule **out, size_t *count, struct assay_error *err) NODISCARD;

struct expr;
/** Make the decimal types exist that the printed SQL of an expression needs. */
enum assay_code delta_need_decimals(struct engine *engine, const struct expr *e, struct arena *arena,
                                    struct assay_error *err) NODISCARD;

/* ---- commit.c, commit_text.c, conflict.c ---- */

/** A commit on its way. */
struct delta_attempt {
    struct store *store;
    struct str root;
    const struct delta_commit *commit;
    struct arena *arena;
    struct str txn_id;
    int64_t version;                    /* that is tried, and that `text` is for */
    bool has_time;                      /* in-commit timestamps are in use: */
    int64_t time_before_ms, time_ms;    /* that of the version before, -1 if it has none, and of this one */
    struct str *add_keys, *change_keys; /* store keys of the published files; empty: a file without rows */
    struct str text;                    /* the commit file */
};
/** Give the new files their places in the table: partition folders, `_change_data`. */
enum assay_code delta_publish(struct delta_attempt *attempt, struct assay_error *err) NODISCARD;
/** Take them away again, best effort: what is left is named by no version and is VACUUM's. */
void delta_publish_undo(const struct delta_attempt *attempt);
/** The `path` of a published file in the log. */
struct str delta_publish_path(const struct delta_attempt *attempt, struct str key);
/** Wait before the next try after so many were lost (redo.c). */
void delta_wait(int lost);
/** Compact the table if it asks for it and the commit made it worth while. Nothing that fails here is told. */
void delta_compact_after(const struct delta_attempt *attempt, struct engine *engine);
/** What follows a commit that stands and can never undo it: the version's checksum, a checkpoint that is due, small
 * files put together. */
void delta_after_commit(const struct delta_attempt *attempt, struct engine *engine, int64_t version);
/** Write `<version>.crc` if its numbers are certain: the commit was not rebased. */
void delta_checksum_put(const struct delta_attempt *attempt, int64_t version);
/** The whole text of the commit; add_keys and txn_id are set. */
enum assay_code delta_commit_text(struct delta_attempt *attempt, struct assay_error *err) NODISCARD;
/** OK if the winner's commit cannot matter to ours; CONFLICT says who and what. */
enum assay_code delta_conflict_check(const struct delta_attempt *attempt, int64_t version, struct str text,
                                     struct assay_error *err) NODISCARD;

#endif
