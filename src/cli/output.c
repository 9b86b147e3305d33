/*
 * A result on its way out.
 *
 * A file is written under a name beside its own and renamed when it is whole, so that nobody takes half a result for
 * one, and an older result stays until the new one is there.
 */
#include "cli/output.h"

#include <errno.h>
#include <unistd.h>

enum assay_code output_open(struct output *out, const char *path, struct arena *arena, struct assay_error *err) {
    *out = (struct output){.path = path};
    if (!path) return ASSAY_OK;
    out->temporary = str_printf(arena, "%s.assay-%d", path, (int)getpid()).ptr;
    out->file = fopen(out->temporary, "wbx");
    return out->file ? ASSAY_OK : error_errno(err, errno, out->temporary, "create");
}

enum assay_code output_write(struct output *out, struct buf *text, struct assay_error *err) {
    enum assay_code rc = ASSAY_OK;
    if (!out->path)
        cli_out(text);
    else if (text->len && fwrite(text->data, 1, text->len, out->file) != text->len)
        rc = error_errno(err, errno, out->path, "write");
    buf_clear(text);
    return rc;
}

enum assay_code output_close(struct output *out, enum assay_code rc, struct assay_error *err) {
    if (!out->file) return rc;
    bool is_written = fflush(out->file) == 0 && fsync(fileno(out->file)) == 0;
    if (rc == ASSAY_OK && !is_written) rc = error_errno(err, errno, out->path, "write");
    if (fclose(out->file) && rc == ASSAY_OK) rc = error_errno(err, errno, out->path, "write");
    if (rc == ASSAY_OK && rename(out->temporary, out->path)) rc = error_errno(err, errno, out->path, "create");
    if (rc) unlink(out->temporary);
    return rc;
}
