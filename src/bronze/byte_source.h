/**
 * The bytes of a landed file from front to back; a compressed file (`.gz`, `.zst`) is unpacked on the way.
 *
 * Memory is bounded whatever the file holds: 128 KiB of packed bytes and the unpacker's window (gzip 32 KiB, zstd at
 * most 128 MiB, a frame that wants more is refused). How much a file unpacks to is not limited here: nothing but what
 * the caller asks for is ever unpacked, so an archive bomb meets the limit for one record or the disk.
 */
#ifndef BRONZE_BYTE_SOURCE_H
#define BRONZE_BYTE_SOURCE_H

#include "base/str.h"

enum packing { PACKING_NONE, PACKING_GZIP, PACKING_ZSTD };

/** What the ending of a file's name says, in any case. */
enum packing packing_of(struct str name);

/** The caller's struct; members are private but `packing`. */
struct byte_source {
    const char *path; /* borrowed */
    int fd;
    enum packing packing;
    int64_t size_bytes, at; /* of the file; bytes read of it */
    struct unpacker *unpacker;
};

/**
 * @param path        borrowed until the close
 * @param size_bytes  what the file had when it was listed; bytes that came later are not looked at
 * @return OK; REFUSED the first bytes are those of another kind of file than the name says (named); NOT_FOUND, DENIED,
 * UNAVAILABLE
 */
enum assay_code byte_source_open(struct byte_source *s, const char *path, int64_t size_bytes,
                                 struct assay_error *err) NODISCARD;
/** A closed or zeroed source stays as it is. */
void byte_source_close(struct byte_source *s);

/**
 * The next bytes, as many as asked for; fewer only at the end.
 * @return OK; UNAVAILABLE the file became shorter, or could not be read; CORRUPT a compressed stream that is damaged or
 * cut off, with the byte of the file at which that was seen
 */
enum assay_code byte_source_read(struct byte_source *s, char *out, size_t want, size_t *got,
                                 struct assay_error *err) NODISCARD;

#endif
