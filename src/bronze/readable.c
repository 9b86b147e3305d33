/** Bytes that are not UTF-8, made readable: each becomes \xHH, the rest stays. Text that reads so by itself is not
 * changed. */
#include "bronze/bronze_int.h"

void readable_text(struct buf *out, struct str bytes) {
    while (bytes.len) {
        size_t bad = str_utf8_error(bytes);
        buf_add(out, str_sub(bytes, 0, bad));
        if (bad == SIZE_MAX) return;
        buf_printf(out, "\\x%02x", (unsigned)(unsigned char)bytes.ptr[bad]);
        bytes = str_sub(bytes, bad + 1, bytes.len);
    }
}
