/** Case mappings of Unicode, as Java's String.toUpperCase and toLowerCase in the root locale (SpecialCasing included),
 * over libunistring;
 * and how wide a text is. */
#ifndef BASE_UNICODE_H
#define BASE_UNICODE_H

#include "base/str.h"

/** Append the mapped text; s must be valid UTF-8. ASCII is mapped without the library. */
void unicode_upper(struct buf *out, struct str s);
void unicode_lower(struct buf *out, struct str s);

/** Columns that the text takes on a terminal: 2 for wide characters, 0 for combining ones; s must be valid UTF-8. */
size_t unicode_width(struct str s);
/** As much of the text as fits into so many columns, cut at a character. */
struct str unicode_cut(struct str s, size_t width);

#endif
