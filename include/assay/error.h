/**
 * What can go wrong, by what the caller can do about it.
 *
 * Every fallible function of assay returns an `enum assay_code` and fills the caller's `struct assay_error` where the
 * fault is found. Upper layers pass both on unchanged.
 */
#ifndef ASSAY_ERROR_H
#define ASSAY_ERROR_H

/* code, name, exit code of the program */
#define ASSAY_CODES(X)                                                                                                 \
    X(ASSAY_OK, "ok", 0)                                                                                               \
    X(ASSAY_REFUSED, "refused", 1)           /* a check said no: a batch, a limit, a constraint */                     \
    X(ASSAY_INVALID, "invalid", 2)           /* the caller's words are wrong: usage, contract, batch id */             \
    X(ASSAY_NOT_FOUND, "not found", 3)       /* the object is not there */                                             \
    X(ASSAY_EXISTS, "exists", 3)             /* the object is there already */                                         \
    X(ASSAY_DENIED, "denied", 3)             /* the world does not let us: permission, read-only, full disk */         \
    X(ASSAY_UNAVAILABLE, "unavailable", 3)   /* the world did not answer: I/O error, time-out */                       \
    X(ASSAY_CORRUPT, "corrupt", 3)           /* what was read breaks its own format */                                 \
    X(ASSAY_UNSUPPORTED, "unsupported", 3)   /* known and named, but not done here */                                  \
    X(ASSAY_LIMIT, "limit", 3)               /* larger than base/limits.h allows */                                    \
    X(ASSAY_INTERNAL, "internal", 3)         /* a promise between our own parts was broken, or the engine failed */    \
    X(ASSAY_BREAKING, "breaking", 4)         /* a breaking change of a contract */                                     \
    X(ASSAY_UNKNOWN, "unknown", 5)           /* the outcome of a commit is not known; a rerun is safe */               \
    X(ASSAY_CONFLICT, "conflict", 6)         /* another writer won; nothing was written */                             \
    X(ASSAY_INTERRUPTED, "interrupted", 130) /* stopped by SIGINT before the commit; nothing was half-written */       \
    X(ASSAY_TERMINATED, "terminated", 143)   /* the same by SIGTERM */

#define ASSAY_CODE_ENUM(code, name, exit) code,
enum assay_code { ASSAY_CODES(ASSAY_CODE_ENUM) };
#undef ASSAY_CODE_ENUM

/**
 * The one message of a failure. Owned by the caller, zeroed before use (`struct assay_error err = {0}`).
 *
 * where    the place: `file:line:column`, or an object and its version; may be empty
 * message  what was found, what was expected, what to do next; one or more lines, no newline at the end
 */
struct assay_error {
    enum assay_code code;
    char where[512];
    char message[1536];
};

/** The lower-case name of a code, static. */
__attribute__((visibility("default"))) const char *assay_code_name(enum assay_code code);

/** The exit code of the program for a code. */
__attribute__((visibility("default"))) int assay_code_exit(enum assay_code code);

#endif
