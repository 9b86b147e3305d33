/** Bytes that are not valid in their encoding, made readable: each becomes \xHH, the rest stays. Text that reads so by
 * itself is not changed. */
#include "bronze/bronze_int.h"

#include "base/encoding.h"

void readable_text(struct buf *out, struct str text, bool is_decoded) {
    while (text.len) {
        size_t bad = str_utf8_error(text);
        buf_add(out, str_sub(text, 0, bad));
        if (bad == SIZE_MAX) return;
        unsigned byte = (unsigned char)text.ptr[bad];
        size_t size = is_decoded ? ENCODING_BAD_BYTES : 1;
        if (is_decoded) byte = (unsigned)(text.ptr[bad + 1] & 15) << 4 | (unsigned)(text.ptr[bad + 2] & 15);
        buf_printf(out, "\\x%02x", byte);
        text = str_sub(text, bad + size, text.len);
    }
}
