/**
 * One run: which batches are pending, the stages in order, the record in `assay.runs`. And the project around it:
 * `assay.yaml`, found upwards from the current folder, says which lake and which contracts.
 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "bronze/bronze.h"
#include "contract/contract.h"
#include "landing/landing.h"
#include "silver/silver.h"

#include <signal.h>

/* ---- the project ---- */

/** One contract file with its mistakes. */
struct project_file {
    struct str path; /* as shown: relative to the current folder where it can be */
    struct diagnostics diagnostics;
    struct contract *contracts;
    size_t contract_count;
};

struct project {
    struct str folder;          /* of assay.yaml, absolute */
    struct str config;          /* path of assay.yaml as shown */
    struct str lake;            /* absolute path or URL */
    struct project_file *files; /* by path */
    size_t file_count;
    struct diagnostics diagnostics;    /* of assay.yaml itself and of names used twice */
    size_t error_count, warning_count; /* over all files */
};

/**
 * Find and read the project. Contract mistakes are no error of this call: look at error_count.
 * @param start  folder to start from, usually "."
 * @return OK; NOT_FOUND no assay.yaml here or above; INVALID assay.yaml (mistakes are in out->diagnostics when it could
 * be parsed)
 */
enum assay_code project_load(struct str start, struct arena *arena, struct project *out,
                             struct assay_error *err) NODISCARD;
/** Read contract files that were named one by one (no project needed). */
enum assay_code project_load_files(const struct str *paths, size_t count, struct arena *arena, struct project *out,
                                   struct assay_error *err) NODISCARD;
/** All mistakes of the project, as diagnostics_print does it. */
void project_print_diagnostics(const struct project *project, enum diagnostic_severity least, struct buf *out);
/** Plans of the named table, or of all when name is empty; those whose tables others refer to come first.
 * @return OK; INVALID the project has errors (their count), or no contract has that table (nearest name) */
enum assay_code project_plans(const struct project *project, struct str name, struct arena *arena, struct plan ***out,
                              size_t *count, struct assay_error *err) NODISCARD;

/* ---- an open lake ---- */

struct session {
    struct store *store;
    struct staging *staging;
    struct engine *engine;
    char *spill_folder; /* of a session that only reads, outside of the lake; NULL otherwise */
    int threads;
    volatile sig_atomic_t is_interrupted; /* set by run_interrupt */
};

struct session_options {
    int64_t memory_bytes; /* 0: the engine's default */
    int threads;          /* 0: as many as the process may use */
    bool create;          /* make the lake's folder if it is absent */
    bool need_engine;
    bool read_only; /* nothing is written into the lake, which may lie on a read-only disk */
};

/** @return OK; UNSUPPORTED the lake is a URL of a kind that is not built yet; as store_open_local, staging_open,
 * engine_open */
enum assay_code session_open(const struct project *project, const struct session_options *options, struct session *out,
                             struct assay_error *err) NODISCARD;
void session_close(struct session *session);

/* ---- batches beside what was loaded of them ---- */

/** A file that is not what it was. */
struct run_change {
    struct str name;
    struct str old_sha256, new_sha256; /* empty where there is none */
    bool is_later, is_gone;            /* it came later; it is gone */
};
struct run_changes {
    struct run_change *list;
    size_t count;
};
/** `name: old sha256 -> new sha256`, with `not there` and `gone`; no line end. */
void run_print_change(const struct run_change *change, struct buf *out);

enum run_batch_state {
    RUN_BATCH_NEW,     /* no run is recorded */
    RUN_BATCH_LOADED,  /* as the last run took it */
    RUN_BATCH_REFUSED, /* the same, and that run refused it */
    RUN_BATCH_CHANGED, /* since the last run */
    RUN_BATCH_GONE,    /* a run is recorded, and no file is there */
};

struct run_batch {
    struct landing_batch landing; /* hashed as far as was needed */
    enum run_batch_state state;
    struct str gate;            /* of a refused batch */
    bool is_pending;            /* a bare `assay run` takes it */
    struct run_changes changes; /* since the last run, else since it was landed by its manifest */
    bool is_landed_again;       /* the changes are those of `assay land --replace`: the manifest has them */
    bool is_wrong;              /* changed behind assay's back, or not to be read */
    struct str error;           /* why files could not be read */
};

struct run_zone {
    struct landing_zone landing;
    struct run_batch *batches; /* as in landing, then those that are gone, by id */
    size_t batch_count;
    size_t wrong_count;
};

/**
 * The batches of the plan's source and what became of each.
 * @param is_verifying  hash every file; else only those whose size or time is not what the last run saw
 * @return OK, whatever is found; as landing_list, records
 */
enum assay_code run_zone_load(struct session *session, const struct plan *plan, bool is_verifying, struct arena *arena,
                              struct run_zone *out, struct assay_error *err) NODISCARD;

/* ---- from a row back to the file ---- */

enum run_trace_table { RUN_TRACE_SILVER, RUN_TRACE_BRONZE, RUN_TRACE_QUARANTINE };

/** A landed file that rows come from. */
struct run_trace_file {
    struct str key, batch_id;
    struct str recorded_sha256; /* of the last run, else of the manifest; empty: nobody kept it */
    struct str sha256;          /* now; empty when it cannot be read */
    struct str problem;         /* why it cannot be read, or its records cannot be found */
};

/** A record in such a file. */
struct run_trace_line {
    size_t file; /* index into files */
    struct bronze_place place;
};

/** A row of the table. */
struct run_trace_row {
    struct str *values; /* of silver: its keys, as text; ptr NULL is null */
    struct str batch_id, reason;
    int64_t loaded_at_us;         /* INT64_MIN: null */
    struct run_trace_line *lines; /* of silver: the record that the row is made of, then those that lost to it */
    size_t line_count;
    bool has_source;      /* the first line is the row's own */
    bool is_equal;        /* of silver: the row has the values that its record gives */
    bool is_loaded_again; /* of silver: bronze holds a later load of the batch */
    int64_t lost_count;   /* of silver: records of the same key in the batch that lost to it; not all are in lines */
};

struct run_trace {
    struct run_trace_row *rows;
    size_t row_count;
    int64_t matched; /* rows that meet the condition */
    struct run_trace_file *files;
    size_t file_count;
};

/**
 * Rows of one of the plan's tables, and the records of landed files that they come from.
 * @param where  a condition in the rule language over the table's columns; empty: every row
 * @param limit  rows; 0: all
 * @return OK, also when files are gone or changed: they say so; NOT_FOUND there is no such table yet; INVALID the
 * condition; as delta_snapshot_load and engine_query
 */
enum assay_code run_trace_rows(struct session *session, const struct plan *plan, enum run_trace_table table,
                               struct str where, size_t limit, struct arena *arena, struct run_trace *out,
                               struct assay_error *err) NODISCARD;

/* ---- running ---- */

enum run_stage { RUN_BRONZE = 1, RUN_SILVER = 2 };

/** What became of one batch under one contract. */
struct run_result {
    const struct plan *plan;
    struct str run_id, batch_id;
    enum assay_code code; /* OK; REFUSED; else the failure */
    struct assay_error err;
    struct str gate;                        /* batch_id, batch_folder, header or a gate of silver; empty. landing: files
                                               lie in no batch folder, and batch_id is empty */
    bool has_batch, has_bronze, has_silver; /* which of these are filled */
    struct landing_batch batch;
    struct bronze_result bronze;
    struct silver_result silver;
    struct run_changes changes;           /* when the batch was loaded before with other content */
    bool is_started;                      /* a redrive that has not come to its end */
    struct str kept_files, kept_settings; /* of a redrive, which reads no files: as the record before has them */
    struct str accepted_because; /* the reason of a person who let the batch through its gates; empty otherwise */
    int64_t started_us, ended_us;
    double bronze_s, silver_s;
};

/** Tells of each batch before (result->ended_us == 0) and after it ran. Valid during the call. */
typedef void run_report_fn(void *context, const struct run_result *result);

struct run_options {
    unsigned stages;             /* RUN_BRONZE | RUN_SILVER */
    bool is_redrive;             /* with RUN_SILVER alone: judge the batch's rejected rows again */
    struct str batch_id;         /* empty: every pending batch; of a redrive every one with rejected rows */
    struct str accepted_because; /* with batch_id: gates after quarantine are told and do not refuse it; the reason is
                                    recorded */
    run_report_fn *report;
    void *context;
};

/**
 * Run the stages over the batches of each plan, in order. A refused batch does not stop the others; a failure stops the
 * run.
 * @param[out] batch_count  batches that were run
 * @return OK; REFUSED at least one batch was refused; else the failure of the last batch
 */
enum assay_code run_plans(struct session *session, struct plan **plans, size_t plan_count,
                          const struct run_options *options, size_t *batch_count, struct assay_error *err) NODISCARD;

/** Key of the table of runs, and of the table of what each rule counted in each run. */
#define RUN_TABLE "assay.runs"
#define RUN_RULES_TABLE "assay.rule_results"

/** After this, the run ends before its next commit with INTERRUPTED; a commit under way is finished. Async-signal-safe.
 */
void run_interrupt(struct session *session);

/** A result as one JSON object: counts, gate, rules, versions, times. */
void run_print_json(const struct run_result *result, struct buf *out);

#endif
