/** What the parts of run share. */
#ifndef RUN_RUN_INT_H
#define RUN_RUN_INT_H

#include "run/run.h"

#define RUNS_ROOT "Tables/assay/runs"
#define RULE_RESULTS_ROOT "Tables/assay/rule_results"

/** What the table of runs says of a batch under a contract: its last record. */
struct run_record {
    struct str batch_id;
    struct str status; /* done or refused; started: a redrive that was not finished */
    struct str gate;   /* that refused it; empty when the state of a table did */
    struct str contract_hash;
    struct str reader_settings;
    struct str files; /* JSON: [{"name","bytes","sha256","modified_us"}], by name; empty for a run of silver alone */
    struct str known_files; /* of the last record that has them */
};

/** The last record of each batch of the plan's table, by batch id. No table, no records. */
enum assay_code records_load(struct session *session, const struct plan *plan, struct arena *arena,
                             struct run_record **out, size_t *count, struct assay_error *err) NODISCARD;
/** Append the result to assay.runs. */
enum assay_code records_add(struct session *session, const struct run_result *result, struct arena *arena,
                            struct assay_error *err) NODISCARD;
/** Rows that landed in the last good batches of the plan's table but this one, newest first, at most `most`. */
enum assay_code records_history(struct session *session, const struct plan *plan, struct str batch_id, int64_t most,
                                struct arena *arena, int64_t **out, size_t *count, struct assay_error *err) NODISCARD;
const struct run_record *records_find(const struct run_record *records, size_t count, struct str batch_id);

/** A column of a table of memory. */
struct memory_column {
    const char *name;
    enum type_kind type;
};
/**
 * Append the rows of a SELECT to a table of memory, which is made or gets the columns that it lacks.
 * @param root  store key of its folder
 */
enum assay_code memory_append(struct session *session, struct str root, const char *description,
                              const struct memory_column *columns, size_t column_count, struct str select,
                              const struct run_result *result, struct arena *arena, struct assay_error *err) NODISCARD;
/** Append what each rule and check counted to assay.rule_results. */
enum assay_code rule_results_add(struct session *session, const struct run_result *result, struct arena *arena,
                                 struct assay_error *err) NODISCARD;

/** The files of a batch as a record keeps them. */
struct str record_files(const struct landing_batch *batch, struct arena *arena);
/** Them read back, by name; false when there are none. */
bool record_read_files(struct str text, struct arena *arena, struct landing_file **out, size_t *count);
/** What differs by name and hash. A file of the batch that is not hashed counts as it was. */
struct run_changes changes_find(const struct landing_file *old, size_t old_count, const struct landing_batch *batch,
                                struct arena *arena);
struct run_changes record_changes(struct str old_files, const struct landing_batch *batch, struct arena *arena);
/** Whether names, sizes and times are those of the record (hashes are not looked at). */
bool record_has_same_files(struct str old_files, const struct landing_batch *batch);

/** The folders outside of the lake that batches of typed files are linked to, whose files the engine reads itself. */
void run_linked_folders(const struct project *project, struct str lake, struct arena *arena, struct str **out,
                        size_t *count);

/** Whether a run without --batch takes the batch; record NULL: it was never run. */
bool run_is_pending(const struct plan *plan, const struct landing_batch *batch, const struct run_record *record);

/** done, refused or failed. */
const char *run_status(const struct run_result *result);

/** JSON for commitInfo.userMetadata: run, batch, contract, version. */
struct str run_user_metadata(const struct run_result *result, struct arena *arena);

#endif
