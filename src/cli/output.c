/*
 * A result on its way out.
 *
 * A file is written under a name beside its own and renamed when it is whole, so that nobody takes half a result for
 * one, and an older result stays until the new one is there.
 */
#include "cli/output.h"

#include <errno.h>
#include <string.h>
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

void output_csv_text(struct buf *out, struct str text) {
    bool is_quoted = text.len == 0;
    for (size_t i = 0; i < text.len && !is_quoted; i++) is_quoted = strchr(",\"\r\n", text.ptr[i]) && text.ptr[i];
    is_quoted |= text.len && (text.ptr[0] == ' ' || text.ptr[text.len - 1] == ' ');
    if (!is_quoted) {
        buf_add(out, text);
        return;
    }
    buf_addc(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"') buf_addc(out, '"');
        buf_addc(out, text.ptr[i]);
    }
    buf_addc(out, '"');
}
