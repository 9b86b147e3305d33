/**
 * A landed file as UTF-8 text, from front to back: unpacked by its name, decoded from the contract's encoding.
 *
 * UTF-8 files are read as they are, bytes that are not UTF-8 among them. Of other encodings the text is made, and
 * the bytes it was made of stay beside it, so that every piece of text can be traced to exactly its bytes. Bytes that
 * the encoding does not know stand in the text as base/encoding.h says.
 */
#ifndef BRONZE_TEXT_FILE_H
#define BRONZE_TEXT_FILE_H

#include "base/encoding.h"
#include "bronze/byte_source.h"

/** Text up to `text` was made of bytes up to `raw`; counted from the front of a piece. */
struct text_mark {
    size_t text, raw;
};

/** A piece of a file's text. Zeroed it is empty; used again for piece after piece. */
struct text_piece {
    char *data;
    size_t len, capacity;
    int64_t offset; /* of data in the file's text; without a byte order mark and in UTF-8 that is the file's byte */
    /* of encodings other than UTF-8: */
    const struct encoding *encoding; /* NULL: UTF-8 */
    struct buf raw;                  /* the bytes */
    int64_t raw_offset;              /* of raw in the (unpacked) file */
    struct text_mark *marks;         /* ascending; the first is 0, 0 */
    size_t mark_count, mark_capacity;
    struct text_mark at;     /* where the last look-up ended */
    struct decoder *decoder; /* of the look-ups */
    struct buf scratch;
};

void text_piece_free(struct text_piece *piece);
/**
 * The bytes of the file that text [from, to) of the piece was made of, from and to at borders of characters.
 * Borrowed. *offset gets their place in the (unpacked) file. Look-ups that go forward cost little.
 */
struct str text_piece_bytes(struct text_piece *piece, size_t from, size_t to, int64_t *offset);

/** The caller's struct. */
struct text_file {
    struct byte_source source;
    const struct encoding *encoding; /* NULL: UTF-8 */
    struct decoder *decoder;
    bool is_at_end;         /* nothing follows what was read */
    int64_t offset;         /* of the next text to be read */
    int64_t raw_offset;     /* of the next byte to be decoded */
    struct buf undecoded;   /* bytes of a character that is not whole yet */
    struct text_piece kept; /* what the last piece gave back */
};

/**
 * A byte order mark of the encoding is passed over.
 * @param encoding  by name, as encoding_find takes it
 * @return as byte_source_open; REFUSED the first bytes prove another encoding (named); UNSUPPORTED this machine's iconv
 * lacks it
 */
enum assay_code text_file_open(struct text_file *f, const char *path, int64_t size_bytes, struct str encoding,
                               struct assay_error *err) NODISCARD;
void text_file_close(struct text_file *f);
/** Put what was given back and nothing else into the piece. */
void text_file_begin(struct text_file *f, struct text_piece *piece);
/** Read about `want` bytes more behind the piece; at the end fewer, and is_at_end is set. Errors as byte_source_read.
 */
enum assay_code text_file_read(struct text_file *f, struct text_piece *piece, size_t want,
                               struct assay_error *err) NODISCARD;
/** Give back the piece's text from `from` on: it comes first in the next piece. The piece keeps a copy. */
void text_file_keep(struct text_file *f, struct text_piece *piece, size_t from);

#endif
