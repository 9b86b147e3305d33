/**
 * Writing and passing on the one error of a call. See <assay/error.h> for the codes.
 *
 * Two shapes only: `TRY(f(..., err));` where nothing is held, else `if ((rc = f(..., err))) goto done;` with one label.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <assay/error.h>

#define NODISCARD __attribute__((warn_unused_result))
#define PRINTF_LIKE(format_at, args_at) __attribute__((format(printf, format_at, args_at)))

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        enum assay_code try_rc_ = (call);                                                                              \
        if (try_rc_ != ASSAY_OK) return try_rc_;                                                                       \
    } while (0)

/**
 * Write the error where it is found. `where` may be NULL. Too long texts are cut at a character border.
 * `err` may be NULL: then only the code is returned.
 *
 * @return `code`, so that `return error_set(err, ASSAY_CORRUPT, where, "...")` reads in one line
 */
enum assay_code error_set(struct assay_error *err, enum assay_code code, const char *where, const char *format, ...)
    PRINTF_LIKE(4, 5);

/**
 * Put `prefix` and ": " before the place that is there already, to name the object an upper layer was working on.
 * @return the code in err
 */
enum assay_code error_prepend(struct assay_error *err, const char *format, ...) PRINTF_LIKE(2, 3);

/** error_set with the text of errno: DENIED for EACCES, EPERM, EROFS, ENOSPC, EDQUOT, EFBIG; NOT_FOUND for ENOENT and
 * ENOTDIR; EXISTS for EEXIST; else UNAVAILABLE. */
enum assay_code error_errno(struct assay_error *err, int errnum, const char *where, const char *doing);

#endif
