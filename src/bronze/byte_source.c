/**
 * Files as bytes, unpacked where their name says so.
 *
 * 1. A file that is shorter than it was when it was listed is an error; bytes that came later are not looked at.
 * 2. A compressed stream that is damaged or ends early is an error, never the end of the file: the rows before it are
 * not the delivery. What was read of it was not committed yet.
 * 3. gzip: any number of members, and zero bytes behind the last one, as gzip itself reads it. zstd: any number of
 * frames.
 * 4. The first bytes must be of the kind that the name says. Guessing would hide that a source changed its format.
 */
#include "bronze/byte_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { PACKED_BYTES = 128 * 1024, MAGIC_BYTES = 6 };

struct unpacker {
    z_stream gzip;
    ZSTD_DStream *zstd;
    size_t from, to;   /* packed bytes not yet looked at, in `packed` */
    bool is_in_stream; /* a member or frame has begun and not ended */
    char packed[PACKED_BYTES];
};

enum packing packing_of(struct str name) {
    struct arena arena = {0};
    struct str lower = str_lower(&arena, str_sub(name, name.len < 4 ? 0 : name.len - 4, name.len));
    enum packing packing = str_ends(lower, STR(".gz"))    ? PACKING_GZIP
                           : str_ends(lower, STR(".zst")) ? PACKING_ZSTD
                                                          : PACKING_NONE;
    arena_reset(&arena);
    return packing;
}

/** Up to `want` bytes of the file as they are stored; fewer only at its end. */
static enum assay_code read_stored(struct byte_source *s, char *out, size_t want, size_t *got,
                                   struct assay_error *err) {
    int64_t left = s->size_bytes - s->at;
    if ((int64_t)want > left) want = (size_t)left;
    *got = 0;
    while (*got < want) {
        ssize_t n = pread(s->fd, out + *got, want - *got, s->at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return error_errno(err, errno, s->path, "read");
        if (n == 0)
            return error_set(err, ASSAY_UNAVAILABLE, s->path,
                             "the file ends at byte %lld where it had %lld bytes before: it is being changed; nothing "
                             "of the batch was loaded",
                             (long long)s->at, (long long)s->size_bytes);
        *got += (size_t)n;
        s->at += n;
    }
    return ASSAY_OK;
}

/* ---- what the first bytes say ---- */

static const struct kind {
    struct str magic;
    const char *name, *next;
} KINDS[] = {
    {{"\x1F\x8B", 2}, "gzip", "name it .gz"},
    {{"\x28\xB5\x2F\xFD", 4}, "zstd", "name it .zst"},
    {{"PK\x03\x04", 4}, "a zip archive or an Excel workbook", "unpack it or export it before it lands"},
    {{"BZh", 3}, "bzip2", "pack it as gzip or zstd"},
    {{"\xFD"
      "7zXZ",
      5},
     "xz",
     "pack it as gzip or zstd"},
    {{"PAR1\x15", 5}, "Parquet", "say format: parquet in assaySource"},
};
enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

static bool has_magic(const struct kind *kind, struct str head) {
    bool is_text = str_eq(kind->magic, STR("BZh")) && !str_eq(str_sub(head, 4, 6), STR("1A")); /* BZh9, 1AY&SY */
    return !is_text && str_starts(head, kind->magic);
}

/** Invariant 4. */
static enum assay_code check_magic(const struct byte_source *s, struct str head, struct assay_error *err) {
    const struct kind *wanted = s->packing == PACKING_NONE ? NULL : &KINDS[s->packing == PACKING_GZIP ? 0 : 1];
    if (wanted && has_magic(wanted, head)) return ASSAY_OK;
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (!has_magic(&KINDS[i], head)) continue;
        return error_set(err, ASSAY_REFUSED, s->path,
                         "the file is %s by its first bytes, and %s by its name; no row of the batch was loaded\n"
                         "next: %s",
                         KINDS[i].name, wanted ? wanted->name : "plain text", KINDS[i].next);
    }
    if (!wanted) return ASSAY_OK;
    return error_set(err, ASSAY_REFUSED, s->path,
                     "the file is %s by its name, but %s; no row of the batch was loaded\n"
                     "next: name the file for what it is, or ask the source to deliver it again",
                     wanted->name, head.len ? "does not start as such a file does" : "has no bytes");
}

/* ---- unpacking ---- */

static enum assay_code fail_stream(const struct byte_source *s, const char *what, struct assay_error *err) {
    const struct unpacker *u = s->unpacker;
    return error_set(err, ASSAY_CORRUPT, s->path,
                     "the %s data is damaged at byte %lld of %lld: %s; nothing of the batch was loaded\n"
                     "next: ask the source to deliver the file again",
                     s->packing == PACKING_GZIP ? "gzip" : "zstd", (long long)(s->at - (int64_t)(u->to - u->from)),
                     (long long)s->size_bytes, what);
}

/** Behind a gzip member: the next one, or zeros to the end. */
static enum assay_code begin_member(struct byte_source *s, struct assay_error *err) {
    struct unpacker *u = s->unpacker;
    if (u->packed[u->from] != '\0') {
        inflateReset(&u->gzip);
        u->is_in_stream = true;
        return ASSAY_OK;
    }
    while (u->from < u->to && u->packed[u->from] == '\0') u->from++;
    return u->from == u->to ? ASSAY_OK : fail_stream(s, "something follows the zero bytes behind its end", err);
}

static enum assay_code step_gzip(struct byte_source *s, char *out, size_t room, size_t *made, struct assay_error *err) {
    struct unpacker *u = s->unpacker;
    *made = 0;
    if (!u->is_in_stream) TRY(begin_member(s, err));
    if (!u->is_in_stream) return ASSAY_OK;
    size_t some = room < INT32_MAX ? room : INT32_MAX;
    u->gzip.next_in = (Bytef *)u->packed + u->from;
    u->gzip.avail_in = (uInt)(u->to - u->from);
    u->gzip.next_out = (Bytef *)out;
    u->gzip.avail_out = (uInt)some;
    int rc = inflate(&u->gzip, Z_NO_FLUSH);
    u->from = u->to - u->gzip.avail_in;
    *made = some - u->gzip.avail_out;
    if (rc == Z_STREAM_END) u->is_in_stream = false;
    if (rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR) return ASSAY_OK;
    return fail_stream(s, u->gzip.msg ? u->gzip.msg : "it cannot be unpacked", err);
}

static enum assay_code step_zstd(struct byte_source *s, char *out, size_t room, size_t *made, struct assay_error *err) {
    struct unpacker *u = s->unpacker;
    ZSTD_inBuffer in = {u->packed, u->to, u->from};
    ZSTD_outBuffer to = {out, room, 0};
    size_t rc = ZSTD_decompressStream(u->zstd, &to, &in);
    u->from = in.pos;
    *made = to.pos;
    if (ZSTD_isError(rc)) return fail_stream(s, ZSTD_getErrorName(rc), err);
    u->is_in_stream = rc != 0;
    return ASSAY_OK;
}

static enum assay_code read_unpacked(struct byte_source *s, char *out, size_t want, size_t *got,
                                     struct assay_error *err) {
    struct unpacker *u = s->unpacker;
    bool is_drained = false; /* the unpacker gave less than there was room for, so it wants more bytes */
    *got = 0;
    while (*got < want) {
        if (u->from == u->to) {
            u->from = u->to = 0;
            TRY(read_stored(s, u->packed, sizeof u->packed, &u->to, err));
            if (u->to == 0 && !u->is_in_stream) return ASSAY_OK;
            if (u->to == 0 && is_drained) return fail_stream(s, "it is cut off", err);
        }
        size_t made;
        TRY((s->packing == PACKING_GZIP ? step_gzip : step_zstd)(s, out + *got, want - *got, &made, err));
        is_drained = made < want - *got;
        *got += made;
    }
    return ASSAY_OK;
}

static enum assay_code open_unpacker(struct byte_source *s, struct assay_error *err) {
    struct unpacker *u = s->unpacker = memory_alloc(sizeof *u);
    memset(&u->gzip, 0, sizeof u->gzip);
    u->from = u->to = 0;
    u->zstd = NULL;
    u->is_in_stream = true;
    if (s->packing == PACKING_ZSTD) u->zstd = ZSTD_createDStream();
    bool is_open = s->packing == PACKING_ZSTD ? u->zstd != NULL : inflateInit2(&u->gzip, 15 + 16) == Z_OK;
    if (is_open) return ASSAY_OK;
    return error_set(err, ASSAY_INTERNAL, s->path, "no memory to unpack the file with");
}

enum assay_code byte_source_open(struct byte_source *s, const char *path, int64_t size_bytes, struct assay_error *err) {
    *s = (struct byte_source){.path = path, .size_bytes = size_bytes, .packing = packing_of(str_of(path))};
    s->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (s->fd < 0) return error_errno(err, errno, path, "read");
    char head[MAGIC_BYTES];
    size_t len;
    enum assay_code rc = read_stored(s, head, sizeof head, &len, err);
    s->at = 0;
    if (rc == ASSAY_OK) rc = check_magic(s, (struct str){head, len}, err);
    if (rc == ASSAY_OK && s->packing != PACKING_NONE) rc = open_unpacker(s, err);
    if (rc) byte_source_close(s);
    return rc;
}

void byte_source_close(struct byte_source *s) {
    if (!s->path) return;
    if (s->unpacker) {
        if (s->packing == PACKING_GZIP) inflateEnd(&s->unpacker->gzip);
        ZSTD_freeDStream(s->unpacker->zstd);
        free(s->unpacker);
    }
    if (s->fd >= 0) close(s->fd);
    *s = (struct byte_source){0};
}

enum assay_code byte_source_read(struct byte_source *s, char *out, size_t want, size_t *got, struct assay_error *err) {
    return s->unpacker ? read_unpacked(s, out, want, got, err) : read_stored(s, out, want, got, err);
}
