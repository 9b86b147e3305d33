/**
 * Text of other encodings as UTF-8, through iconv.
 *
 * What is not valid in the encoding is kept: each such byte becomes ENCODING_BAD and two bytes 0x80..0x8F with its high
 * and low half. None of the three is ASCII and they are never valid UTF-8, so they are no delimiter and no line end,
 * and no text looks like them.
 */
#ifndef BASE_ENCODING_H
#define BASE_ENCODING_H

#include "base/str.h"

#define ENCODING_BAD '\xFF'
enum { ENCODING_BAD_BYTES = 3 };

/**
 * One of the encodings that can be read: those of files that people send, none that keeps a state between characters.
 */
struct encoding {
    struct str name;       /* as IANA spells it */
    const char *converter; /* iconv's name; NULL: UTF-8, which needs none */
    size_t unit_bytes;     /* of the smallest piece that can be wrong by itself */
    struct str mark;       /* the byte order mark that may stand in front, in this encoding; empty: it has none */
};

/** By IANA name or a usual alias, case, `-` and `_` ignored: `UTF-8`, `latin1`, `windows-1252`, `cp1252`. NULL: it is
 * none of those. */
const struct encoding *encoding_find(struct str name);
/** The name nearest to this one, or empty; and all names, joined by ", ". */
struct str encoding_nearest(struct str name);
void encoding_names(struct buf *out);

/** What the first bytes of a file prove: `UTF-16LE` (mark, or ASCII in units of two bytes), `UTF-8` (mark), ...; NULL:
 * nothing. */
const struct encoding *encoding_of_head(struct str head);

/** A conversion in progress. */
struct decoder;
/** @return NULL when this machine's iconv does not know it */
struct decoder *decoder_open(const struct encoding *encoding);
void decoder_close(struct decoder **decoder);
/**
 * Convert from the front of bytes into out, whole characters only, until either has no room for the next one.
 * @param is_final  nothing follows: a character that is cut off is not valid
 * @param[out] made  bytes put into out
 * @return bytes taken; fewer than bytes.len when out is full, or at a character that is not whole yet
 */
size_t decoder_step(struct decoder *decoder, struct str bytes, bool is_final, char *out, size_t room, size_t *made);

#endif
