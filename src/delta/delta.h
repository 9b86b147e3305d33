/**
 * Delta tables: snapshot, scan, write files, commit.
 *
 * A table's root is a store key such as `Tables/silver/orders`. What is read from a log is untrusted. Features that are
 * not known are refused by name, for reading or only for writing, before anything is written.
 */
#ifndef DELTA_DELTA_H
#define DELTA_DELTA_H

#include "base/type.h"
#include "engine/engine.h"
#include "storage/storage.h"

enum { DELTA_LATEST = -1 };

/** A top-level column. */
struct delta_field {
    struct str name;
    struct type type;     /* kind NONE for nested types and types assay does not know */
    struct str type_json; /* as in the schema: `"string"`, `{"type":"array",...}` */
    bool is_nullable;
    struct str metadata;      /* JSON object, `{}` */
    struct str physical_name; /* in data files, stats and partitionValues: `name`, but for column mapping */
    int64_t mapping_id;       /* delta.columnMapping.id, -1 if absent */
};
struct delta_schema {
    struct delta_field *fields;
    size_t count;
};
struct delta_property {
    struct str name, value;
};

/** What a table is, without its files. */
struct delta_metadata {
    struct str id, name, description;
    struct delta_schema schema;
    struct str *partition_columns;
    size_t partition_column_count;
    struct delta_property *properties; /* configuration; constraints are `delta.constraints.<name>` */
    size_t property_count;
    int64_t created_ms;
    struct str format_options; /* JSON object, empty: none */
};

struct delta_protocol {
    int min_reader, min_writer;
    struct str *reader_features, *writer_features;
    size_t reader_feature_count, writer_feature_count;
};

/** Rows of a file that are deleted (protocol: "Deletion Vectors"). */
struct delta_vector {
    struct str storage_type;   /* `u` relative file by UUID, `i` inline, `p` absolute path */
    struct str path_or_inline; /* as in the log */
    int64_t offset;            /* in the vector's file, -1 if absent */
    int64_t size_bytes, cardinality;
};

struct delta_file {
    const struct delta_vector *vector; /* NULL: no row of the file is deleted */
    struct str path;              /* decoded, relative to the root (or an absolute path inside the allowed folders) */
    struct str *partition_values; /* per partition column; ptr NULL is null */
    int64_t size_bytes, modified_ms;
    int64_t row_count; /* in the file, deleted ones too; -1 if the stats do not say */
    struct str stats;  /* JSON as in the log, empty if none */
    struct str raw;    /* the add action as JSON without its stats, for what must be carried into a remove */
};

/** A `domainMetadata` action that stands. */
struct delta_domain {
    struct str name, configuration;
};

/** The last `txn` action of an application id. */
struct delta_txn {
    struct str app_id;
    int64_t version, last_updated_ms; /* -1 if absent */
};

struct delta_snapshot {
    struct store *store;   /* borrowed */
    struct engine *engine; /* borrowed: what reads its files; NULL if it was loaded without one */
    struct str root;
    int64_t version;
    struct delta_protocol protocol;
    struct delta_metadata metadata;
    struct delta_file *files; /* sorted by path */
    size_t file_count;
    struct delta_txn *txns;
    size_t txn_count;
    struct delta_domain *domains;
    size_t domain_count;
    int64_t in_commit_timestamp_ms; /* of `version`; -1 if its commit has none */
};

/**
 * The table as it stood at a version: the newest usable checkpoint, then the commits after it.
 * @return OK; NOT_FOUND no log at root, or no such version; CORRUPT gap, truncated commit, lies (version and file
 * named); UNSUPPORTED reader feature
 */
enum assay_code delta_snapshot_load(struct store *store, struct engine *engine, struct str root, int64_t version,
                                    struct arena *arena, struct delta_snapshot **out,
                                    struct assay_error *err) NODISCARD;

/** OK if assay may write: UNSUPPORTED names the feature, property or constraint text that forbids it. */
enum assay_code delta_writable(const struct delta_snapshot *snapshot, struct assay_error *err) NODISCARD;

/** Value of a table property, or the empty string. */
struct str delta_property_get(const struct delta_metadata *metadata, struct str name);
/** Index of a column by name, case ignored, or SIZE_MAX. */
size_t delta_field_find(const struct delta_schema *schema, struct str name);
const struct delta_txn *delta_txn_find(const struct delta_snapshot *snapshot, struct str app_id);

/* ---- read ---- */

/** Names of the two columns that delta_scan_sql can add. */
#define DELTA_SCAN_FILE "_assay_file" /* BIGINT: index into snapshot->files */
#define DELTA_SCAN_ROW "_assay_row"   /* BIGINT: row in that file, from 0 */

/**
 * A relation `(SELECT ...)` over some files of the table, with the schema's columns in order, by name and in the
 * engine's types; columns that a file lacks are NULL, partition columns come from the log, deleted rows are left out.
 * It is of use as long as the snapshot, the arena and the engine that the snapshot was loaded with.
 * @param files  indexes into snapshot->files; NULL for all
 * @param with_place  add DELTA_SCAN_FILE and DELTA_SCAN_ROW
 * @return OK; UNSUPPORTED names a column of a type that assay does not know, or a file outside of the engine's folders;
 * CORRUPT a partition value that is none of its column's type
 */
enum assay_code delta_scan_sql(const struct delta_snapshot *snapshot, const size_t *files, size_t file_count,
                               bool with_place, struct arena *arena, struct buf *sql,
                               struct assay_error *err) NODISCARD;

/** A closed range of a column; bounds as engine value text; ptr NULL is open. Text bounds are compared by bytes. */
struct delta_range {
    struct str column;
    struct str min, max;
};
/** Indexes of the files that may hold a row inside all ranges (NULL is in no range), by their stats; without usable
 * stats a file stays. */
enum assay_code delta_prune(const struct delta_snapshot *snapshot, const struct delta_range *ranges, size_t range_count,
                            struct arena *arena, size_t **out, size_t *count, struct assay_error *err) NODISCARD;
/** Whether the stats prove that every row of the file has exactly this text in the column. */
bool delta_file_is_all(const struct delta_snapshot *snapshot, size_t file, struct str column, struct str value);

/* ---- write ---- */

/** A staged file with the rows of one partition. */
struct delta_new_file {
    struct engine_file file;            /* columns by their names in files */
    const struct str *partition_values; /* per partition column, as the log has them; ptr NULL is null */
};
struct delta_new_files {
    struct delta_new_file *files;
    size_t count;
    int64_t row_count;
};

/**
 * Write the rows of a SELECT (columns by name, in any order; a missing one is its column default, else NULL) as staged
 * data files of the table, one partition a file, columns under the names that the table's files have. Every row is
 * checked on the way against NOT NULL, CHECK constraints, column invariants and lengths of the metadata (a NULL result
 * is a violation). An empty text in a partition column is NULL; a char(n) gets its spaces.
 * @return OK; REFUSED a row breaks a rule (the rule and the row's first values named); UNSUPPORTED a constraint or
 * default whose text is outside the rule language; otherwise as engine_write_parquet
 */
enum assay_code delta_write_files(struct engine *engine, struct staging *staging, const struct delta_metadata *metadata,
                                  struct str select, const struct engine_write_options *options, struct arena *arena,
                                  struct delta_new_files *out, struct assay_error *err) NODISCARD;

/** As delta_scan_sql, over staged files; with_place numbers them from 0. */
enum assay_code delta_staged_sql(struct store *store, struct engine *engine, const struct delta_metadata *metadata,
                                 const struct delta_new_files *files, bool with_place, struct arena *arena,
                                 struct buf *sql, struct assay_error *err) NODISCARD;

/** What a row gets in a column that its writer leaves out, as SQL of the column's type: its default, else NULL.
 * UNSUPPORTED a default whose text is outside of the rule language. */
enum assay_code delta_default_sql(const struct delta_metadata *metadata, size_t field, struct engine *engine,
                                  struct arena *arena, struct buf *sql, struct assay_error *err) NODISCARD;

/** The column that says what became of a row, in a SELECT of changes: `insert`, `delete`, `update_preimage` or
 * `update_postimage`. */
#define DELTA_CHANGE_TYPE "_change_type"
/** Whether commits of this metadata must say which rows they changed (delta.enableChangeDataFeed). */
bool delta_has_change_feed(const struct delta_metadata *metadata);
/**
 * Write changed rows as staged files for delta_commit.changes. A commit that updates rows, or deletes some of a file's
 * rows, needs them when the metadata has a change feed, and then all of its changes, inserts too: readers look at
 * nothing else of such a commit. One that only adds files and removes whole ones needs none.
 * @param select  the table's columns and DELTA_CHANGE_TYPE
 */
enum assay_code delta_write_changes(struct engine *engine, struct staging *staging,
                                    const struct delta_metadata *metadata, struct str select, struct arena *arena,
                                    struct delta_new_files *out, struct assay_error *err) NODISCARD;

/** What the commit relied on, for the conflict check against a winner. */
enum delta_read_scope {
    DELTA_READ_NOTHING, /* blind append: always rebased, unless metadata or protocol changed */
    DELTA_READ_RANGES,  /* read the rows inside `ranges`: a winner that added or removed a file that may hold such rows
                           is a conflict */
    DELTA_READ_TABLE,   /* read everything: any winner that changed data is a conflict */
};

struct delta_commit {
    const struct delta_snapshot *base; /* NULL: create the table (EXISTS-like CONFLICT if somebody else did) */
    const struct delta_metadata
        *metadata; /* for create, or the new metadata; NULL keeps the base's. id may be empty: one is made */
    const struct delta_new_file *adds; /* staged; published by the commit */
    size_t add_count;
    const struct delta_new_file *changes; /* of delta_write_changes; published too */
    size_t change_count;
    const size_t *removes; /* indexes into base->files */
    size_t remove_count;
    const struct delta_snapshot *restored_of; /* files of an older version that are named again, as its log has them */
    const size_t *restored;                   /* indexes into restored_of->files */
    size_t restored_count;
    const struct delta_txn *txns; /* set these */
    size_t txn_count;
    enum delta_read_scope scope;
    const struct delta_range *ranges;
    size_t range_count;
    bool is_rearranged;                   /* dataChange=false: same rows, other files */
    const char *operation;                /* "WRITE", "MERGE", "CREATE TABLE", "DELETE" */
    struct str parameters;                /* JSON object */
    const struct delta_property *metrics; /* operationMetrics */
    size_t metric_count;
    struct str user_metadata; /* commitInfo.userMetadata: batch, contract and run as JSON; may be empty */
};

/**
 * Publish the data files, then put the commit if absent. When another writer took the version, its commits are read and
 * checked: rebased if they cannot matter to this commit, at most LIMIT_COMMIT_RETRIES times.
 *
 * Protocol: what the metadata needs and no more: (1,2), (1,3) with a CHECK; an existing protocol is never lowered.
 * A commit with no adds, no removes, no txns and no metadata is not made: *version is the base's.
 *
 * @return OK it stands, *version is its number; CONFLICT it does not stand, somebody's change touches what was read or
 * written (who and what is named): load a new snapshot and do the work again; UNKNOWN it may stand: nothing may be
 * deleted, a rerun is safe; UNSUPPORTED; others: it does not stand
 */
enum assay_code delta_commit(struct store *store, struct engine *engine, struct str root,
                             const struct delta_commit *commit, int64_t *version, struct assay_error *err) NODISCARD;

typedef enum assay_code delta_work_fn(void *context, struct assay_error *err);
/**
 * Do work that ends with a commit, and do it again, on a new snapshot, as long as it ends with CONFLICT: at most
 * LIMIT_REDO times in all, with waits between them that grow and differ from writer to writer.
 * @return what the last call of `work` gave; its conflict says who was first and with what
 */
enum assay_code delta_redo(delta_work_fn *work, void *context, struct assay_error *err) NODISCARD;

/** Size that a table wants its files to have: delta.targetFileSize (`256m`), else 128 MiB. */
int64_t delta_target_bytes(const struct delta_metadata *metadata);

struct delta_compact_options {
    int64_t target_bytes; /* of a new file; 0: delta_target_bytes */
    int64_t small_bytes;  /* files below it are put together; 0: half the target */
    bool is_auto;         /* as history says it */
};
struct delta_compact_result {
    size_t removed_count, added_count; /* files; both 0: there was nothing to do */
    int64_t removed_bytes, added_bytes;
    size_t vector_count; /* of the removed ones, those that had deleted rows */
};
/**
 * Put small files together, each partition for itself, and write those anew of whose rows many are deleted: the same
 * rows, in one commit with dataChange=false. Nothing to do: no commit, *version is the snapshot's.
 *
 * delta_commit does this too, in a commit of its own, after rows were written to a table whose properties have
 * delta.autoOptimize.autoCompact = true, when at least 50 of its files (spark.databricks.delta.autoCompact.minNumFiles)
 * are smaller than half the target; there neither a failure nor a conflict is one of the commit.
 *
 * @return as delta_commit: CONFLICT another writer took one of the files away
 */
enum assay_code delta_compact(const struct delta_snapshot *snapshot, struct staging *staging,
                              const struct delta_compact_options *options, struct arena *arena,
                              struct delta_compact_result *out, int64_t *version, struct assay_error *err) NODISCARD;

/** A checkpoint that was written, or was there. */
struct delta_checkpoint_report {
    int64_t version, action_count, file_count, size_bytes; /* action_count is 0 if it was there */
    int64_t removed_count;                                 /* expired files of the log, removed */
    bool is_new;
};
/**
 * Write the state of a version as a classic checkpoint, which any reader of the table can start from; then remove what
 * has expired of the log, where the table's properties and the protocol allow it. A checkpoint that is there stays.
 *
 * delta_commit does this too, after every version that delta.checkpointInterval (10) divides; there a failure is no
 * failure of the commit.
 *
 * @param version  DELTA_LATEST, or one that can still be read
 * @return OK; as delta_snapshot_load; UNSUPPORTED a feature that assay does not know; others: it was not written
 */
enum assay_code delta_checkpoint(struct store *store, struct engine *engine, struct staging *staging, struct str root,
                                 int64_t version, struct delta_checkpoint_report *out,
                                 struct assay_error *err) NODISCARD;

/**
 * Put the commit's adds in the place of every row whose text column equals `value`, in one commit: files that hold only
 * such rows are removed whole, files that also hold others are written anew without them. Fills commit->base, removes,
 * scope and ranges; the rest (adds, metadata, txns, operation, ...) is the caller's. With nothing to remove and nothing
 * to add, no commit is made.
 */
enum assay_code delta_replace_where(struct engine *engine, struct staging *staging,
                                    const struct delta_snapshot *snapshot, struct delta_commit *commit,
                                    struct delta_range equal, struct arena *arena, int64_t *version,
                                    struct assay_error *err) NODISCARD;

/**
 * Delete the rows for which a predicate is TRUE, in one commit: a file with no other rows goes whole, a file that also
 * holds others is written anew without them (copy-on-write, also where it had a deletion vector). Nothing to delete: no
 * commit, *version is the snapshot's.
 * @param predicate  SQL of the engine over the columns of `t`; printed, never a user's text
 * @param ranges  what the rows in question are known to lie in, for passing over files; may be empty
 * @param shown  the predicate as history shows it
 * @param deleted  how many rows; may be NULL
 * @return as delta_commit
 */
enum assay_code delta_delete(struct engine *engine, struct staging *staging, const struct delta_snapshot *snapshot,
                             struct str predicate, const struct delta_range *ranges, size_t range_count,
                             struct str shown, struct arena *arena, int64_t *deleted, int64_t *version,
                             struct assay_error *err) NODISCARD;

/** Set or replace a property in a metadata under construction. */
void delta_property_set(struct delta_metadata *metadata, struct arena *arena, struct str name, struct str value);
/** A nullable or NOT NULL column of a primitive type. Where the metadata maps columns it gets an id and a name in files
 * of its own; so set delta.columnMapping.mode before the first column. */
void delta_field_add(struct delta_metadata *metadata, struct arena *arena, struct str name, struct type type,
                     bool is_nullable, struct str comment);
/** A column of any type, given as Delta schema JSON. */
void delta_field_add_json(struct delta_metadata *metadata, struct arena *arena, struct str name, struct str type_json,
                          bool is_nullable);
/** A copy that can be changed without touching the original. */
struct delta_metadata *delta_metadata_copy(const struct delta_metadata *metadata, struct arena *arena);

/* ---- time ---- */

/** `2026-04-05`, `2026-04-05 12:30[:00[.5]]`, with `T` and `Z` or an offset too; UTC when it has no zone. INVALID. */
enum assay_code delta_time_parse(struct str text, int64_t *us, struct assay_error *err) NODISCARD;
/**
 * The version that the table had at a moment: the last commit that is not later (Spark's `TIMESTAMP AS OF`). A commit's
 * time is its in-commit timestamp, else the time of its file, made to rise.
 * @return OK; INVALID the moment lies in the future; NOT_FOUND no table, or nothing is kept from so early
 */
enum assay_code delta_version_at(struct store *store, struct str root, int64_t us, struct arena *arena,
                                 int64_t *version, struct assay_error *err) NODISCARD;

/** One entry of the table's history, newest first. Texts are empty when the commit does not say. */
struct delta_history_entry {
    int64_t version, timestamp_ms; /* as delta_version_at counts it */
    int64_t read_version;          /* -1 if absent */
    struct str operation, engine_info, user_name, isolation_level;
    struct str parameters, metrics; /* JSON objects */
    struct str user_metadata;
    bool has_blind_append, is_blind_append;
};
/** Of a table that assay cannot read, too. */
enum assay_code delta_history(struct store *store, struct str root, size_t limit, struct arena *arena,
                              struct delta_history_entry **out, size_t *count, struct assay_error *err) NODISCARD;

/** What DESCRIBE DETAIL shows beside the snapshot, and what upkeep asks for. */
struct delta_detail {
    int64_t last_modified_ms, size_bytes;
    int64_t row_count;       /* deleted rows not counted; -1 if the stats of a file do not say */
    size_t small_file_count; /* below DELTA_SMALL_FILE_BYTES */
    int64_t small_file_bytes;
    size_t vector_count; /* files with deleted rows */
    int64_t deleted_row_count;
    int64_t checkpoint_version, checkpoint_ms; /* the newest not after the snapshot; -1 if there is none */
    struct str *features;                      /* of the protocol, those of legacy versions written out; sorted */
    size_t feature_count;
    struct str *clustering; /* columns, nested ones with dots */
    size_t clustering_count;
};
enum { DELTA_SMALL_FILE_BYTES = 25 * 1000 * 1000 };
enum assay_code delta_detail(const struct delta_snapshot *snapshot, struct arena *arena, struct delta_detail *out,
                             struct assay_error *err) NODISCARD;

/** What a restore would do: make the table what it was at `to`, as a new version. */
struct delta_restore {
    const struct delta_snapshot *from, *to;
    size_t *adds, add_count;       /* indexes into to->files */
    size_t *removes, remove_count; /* indexes into from->files */
    int64_t add_bytes, remove_bytes;
    int64_t add_rows, remove_rows; /* -1 if the stats of a file do not say */
    bool is_metadata_changed;
    struct str *missing; /* keys of files that the version needs and that are gone */
    size_t missing_count;
};
/**
 * @return OK (look at missing_count); CORRUPT the deletion vector of a file to bring back is gone; UNSUPPORTED the
 * table is append-only and rows would go, or a feature that the version needs is not the table's any more; as
 * delta_snapshot_load
 */
enum assay_code delta_restore_plan(struct store *store, struct engine *engine, struct str root, int64_t version,
                                   struct arena *arena, struct delta_restore *out, struct assay_error *err) NODISCARD;
/** One commit; any other that changed data since the plan was made is a CONFLICT. NOT_FOUND names the missing files.
 * Nothing to do: no commit, *version is the table's.
 * @param time  as the user gave it, empty when it was a version */
enum assay_code delta_restore_commit(struct engine *engine, const struct delta_restore *restore, struct str time,
                                     struct arena *arena, int64_t *version, struct assay_error *err) NODISCARD;

/* ---- constraints ---- */

/** Calls with the name and text of every `delta.constraints.<name>`. False at the end. `*index` starts at 0. */
bool delta_constraint_next(const struct delta_metadata *metadata, size_t *index, struct str *name, struct str *text);

/** Rows of the table that break a rule. */
struct delta_breaking {
    int64_t count;
    struct engine_result rows; /* the first few, whole */
};
/**
 * Put a CHECK on the table after all its rows were seen to keep it (a NULL answer breaks it). The text is stored as
 * Spark SQL. A text of the same name and meaning changes nothing.
 * @return OK; INVALID name or text, or another rule has the name; REFUSED rows break it (in *breaking); as delta_commit
 */
enum assay_code delta_constraint_add(struct store *store, struct engine *engine, struct str root, struct str name,
                                     struct str text, struct arena *arena, struct delta_breaking *breaking,
                                     int64_t *version, struct assay_error *err) NODISCARD;
/** Take a CHECK off the table; its rule is no longer asked of any writer. INVALID there is none of the name. */
enum assay_code delta_constraint_drop(struct store *store, struct engine *engine, struct str root, struct str name,
                                      struct arena *arena, int64_t *version, struct assay_error *err) NODISCARD;

/**
 * Name the table, its version and what to do next in an error of the engine over the table's files: which file is gone,
 * or that one cannot be read. Other errors stay.
 * @return code
 */
enum assay_code delta_read_failed(const struct delta_snapshot *snapshot, enum assay_code code,
                                  struct assay_error *err) NODISCARD;

#endif
