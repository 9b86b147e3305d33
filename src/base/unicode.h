/** Case mappings of Unicode, as Java's String.toUpperCase and toLowerCase in the root locale (SpecialCasing included),
 * over libunistring. */
#ifndef BASE_UNICODE_H
#define BASE_UNICODE_H

#include "base/str.h"

/** Append the mapped text; s must be valid UTF-8. ASCII is mapped without the library. */
void unicode_upper(struct buf *out, struct str s);
void unicode_lower(struct buf *out, struct str s);

#endif
