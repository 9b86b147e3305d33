/**
 * Java patterns by PCRE2 (the one place that knows the library). Found anywhere in the subject, as Java's `find` and
 * Spark's RLIKE. Thread safety: a compiled pattern may be used by many threads at once.
 */
#ifndef BASE_REGEX_H
#define BASE_REGEX_H

#include "base/str.h"

struct regex;

/** @return OK; INVALID with the place in the pattern. Compiled for UTF-8, JIT where there is one; dollar and dot as in
 * Java (`$` also before a final line end, `.` no line ends, `\d \w \s \b` ASCII only). */
enum assay_code regex_open(struct str pattern, struct regex **out, struct assay_error *err) NODISCARD;
void regex_close(struct regex **regex);
/** @return OK with *found; LIMIT when the match needs more steps or memory than is sane (nothing is said about the
 * subject). */
enum assay_code regex_find(const struct regex *regex, struct str subject, bool *found) NODISCARD;

#endif
