/**
 * Encodings by name, and their bytes as UTF-8.
 *
 * 1. A byte is never lost and never made up: what the encoding does not know is marked with its value.
 * 2. The list is closed. iconv knows hundreds of names, among them encodings that keep a state between characters,
 * where a damaged byte would change the meaning of all that follow.
 */
#include "base/encoding.h"

#include <errno.h>
#include <iconv.h>
#include <stdlib.h>
#include <string.h>

#define NAME(text)                                                                                                     \
    { text, sizeof(text) - 1 }
#define ENCODING(name, converter, unit, mark)                                                                          \
    { NAME(name), converter, unit, NAME(mark) }

static const struct encoding ENCODINGS[] = {
    ENCODING("UTF-8", NULL, 1, "\xEF\xBB\xBF"),
    ENCODING("UTF-16LE", "UTF-16LE", 2, "\xFF\xFE"),
    ENCODING("UTF-16BE", "UTF-16BE", 2, "\xFE\xFF"),
    ENCODING("UTF-32LE", "UTF-32LE", 4, "\xFF\xFE\0\0"),
    ENCODING("UTF-32BE", "UTF-32BE", 4, "\0\0\xFE\xFF"),
    ENCODING("UTF-16", NULL, 2, ""), /* the mark says which; see text_file */
    ENCODING("UTF-32", NULL, 4, ""),
    ENCODING("US-ASCII", "ASCII", 1, ""),
    ENCODING("ISO-8859-1", "ISO-8859-1", 1, ""),
    ENCODING("ISO-8859-2", "ISO-8859-2", 1, ""),
    ENCODING("ISO-8859-3", "ISO-8859-3", 1, ""),
    ENCODING("ISO-8859-4", "ISO-8859-4", 1, ""),
    ENCODING("ISO-8859-5", "ISO-8859-5", 1, ""),
    ENCODING("ISO-8859-6", "ISO-8859-6", 1, ""),
    ENCODING("ISO-8859-7", "ISO-8859-7", 1, ""),
    ENCODING("ISO-8859-8", "ISO-8859-8", 1, ""),
    ENCODING("ISO-8859-9", "ISO-8859-9", 1, ""),
    ENCODING("ISO-8859-13", "ISO-8859-13", 1, ""),
    ENCODING("ISO-8859-15", "ISO-8859-15", 1, ""),
    ENCODING("windows-1250", "CP1250", 1, ""),
    ENCODING("windows-1251", "CP1251", 1, ""),
    ENCODING("windows-1252", "CP1252", 1, ""),
    ENCODING("windows-1253", "CP1253", 1, ""),
    ENCODING("windows-1254", "CP1254", 1, ""),
    ENCODING("windows-1256", "CP1256", 1, ""),
    ENCODING("windows-1257", "CP1257", 1, ""),
    ENCODING("IBM437", "CP437", 1, ""),
    ENCODING("IBM850", "CP850", 1, ""),
    ENCODING("IBM852", "CP852", 1, ""),
    ENCODING("IBM866", "CP866", 1, ""),
    ENCODING("KOI8-R", "KOI8-R", 1, ""),
    ENCODING("KOI8-U", "KOI8-U", 1, ""),
    ENCODING("macintosh", "MACINTOSH", 1, ""),
    ENCODING("Shift_JIS", "CP932", 1, ""), /* as Windows writes it */
    ENCODING("EUC-JP", "EUC-JP", 1, ""),
    ENCODING("EUC-KR", "CP949", 1, ""),
    ENCODING("GBK", "GBK", 1, ""),
    ENCODING("GB18030", "GB18030", 1, ""),
    ENCODING("Big5", "BIG5", 1, ""),
};
enum { ENCODING_COUNT = sizeof ENCODINGS / sizeof ENCODINGS[0] };

static const struct {
    struct str alias, name;
} ALIASES[] = {
    {NAME("utf8"), NAME("UTF-8")},
    {NAME("utf16"), NAME("UTF-16")},
    {NAME("ascii"), NAME("US-ASCII")},
    {NAME("latin1"), NAME("ISO-8859-1")},
    {NAME("l1"), NAME("ISO-8859-1")},
    {NAME("latin2"), NAME("ISO-8859-2")},
    {NAME("latin9"), NAME("ISO-8859-15")},
    {NAME("cp1250"), NAME("windows-1250")},
    {NAME("cp1251"), NAME("windows-1251")},
    {NAME("cp1252"), NAME("windows-1252")},
    {NAME("ansi"), NAME("windows-1252")},
    {NAME("cp1253"), NAME("windows-1253")},
    {NAME("cp1254"), NAME("windows-1254")},
    {NAME("cp1256"), NAME("windows-1256")},
    {NAME("cp1257"), NAME("windows-1257")},
    {NAME("cp437"), NAME("IBM437")},
    {NAME("cp850"), NAME("IBM850")},
    {NAME("cp852"), NAME("IBM852")},
    {NAME("cp866"), NAME("IBM866")},
    {NAME("macroman"), NAME("macintosh")},
    {NAME("sjis"), NAME("Shift_JIS")},
    {NAME("cp932"), NAME("Shift_JIS")},
    {NAME("windows31j"), NAME("Shift_JIS")},
    {NAME("cp949"), NAME("EUC-KR")},
    {NAME("cp936"), NAME("GBK")},
    {NAME("gb2312"), NAME("GBK")},
};
enum { ALIAS_COUNT = sizeof ALIASES / sizeof ALIASES[0] };

/** The next letter or digit at or behind *at, lower case; 0 at the end. */
static char next_plain(struct str s, size_t *at) {
    while (*at < s.len && (s.ptr[*at] == '-' || s.ptr[*at] == '_')) (*at)++;
    if (*at == s.len) return '\0';
    char c = s.ptr[(*at)++];
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_same_name(struct str a, struct str b) {
    size_t i = 0, k = 0;
    for (;;) {
        char x = next_plain(a, &i), y = next_plain(b, &k);
        if (x != y) return false;
        if (!x) return i == a.len && k == b.len;
    }
}

const struct encoding *encoding_find(struct str name) {
    for (size_t i = 0; i < ALIAS_COUNT; i++)
        if (is_same_name(name, ALIASES[i].alias)) name = ALIASES[i].name;
    for (size_t i = 0; i < ENCODING_COUNT; i++)
        if (is_same_name(name, ENCODINGS[i].name)) return &ENCODINGS[i];
    return NULL;
}

struct str encoding_nearest(struct str name) {
    struct str names[ENCODING_COUNT + ALIAS_COUNT];
    for (size_t i = 0; i < ENCODING_COUNT; i++) names[i] = ENCODINGS[i].name;
    for (size_t i = 0; i < ALIAS_COUNT; i++) names[ENCODING_COUNT + i] = ALIASES[i].alias;
    struct str nearest = str_nearest(name, names, ENCODING_COUNT + ALIAS_COUNT);
    const struct encoding *e = nearest.len ? encoding_find(nearest) : NULL;
    return e ? e->name : (struct str){0};
}

void encoding_names(struct buf *out) {
    for (size_t i = 0; i < ENCODING_COUNT; i++) {
        if (i) buf_addz(out, ", ");
        buf_add(out, ENCODINGS[i].name);
    }
}

/** Whether every second unit of the first eight bytes is zero, and the others ASCII: text without a mark. */
static bool is_wide_ascii(struct str head, size_t letter_at) {
    if (head.len < 8) return false;
    for (size_t i = 0; i < 8; i++) {
        unsigned char c = (unsigned char)head.ptr[i];
        if (i % 2 == letter_at ? c < ' ' || c >= 0x7F : c != 0) return false;
    }
    return true;
}

const struct encoding *encoding_of_head(struct str head) {
    static const size_t longest_first[] = {3, 4, 0, 1, 2};
    for (size_t i = 0; i < sizeof longest_first / sizeof longest_first[0]; i++) {
        const struct encoding *e = &ENCODINGS[longest_first[i]];
        if (str_starts(head, e->mark)) return e;
    }
    return is_wide_ascii(head, 0) ? &ENCODINGS[1] : is_wide_ascii(head, 1) ? &ENCODINGS[2] : NULL;
}

/* ---- conversion ---- */

struct decoder {
    iconv_t converter;
    size_t unit_bytes;
};

struct decoder *decoder_open(const struct encoding *encoding) {
    iconv_t converter = iconv_open("UTF-8", encoding->converter ? encoding->converter : "UTF-8");
    if (converter == (iconv_t)-1) return NULL;
    struct decoder *d = memory_alloc(sizeof *d);
    *d = (struct decoder){converter, encoding->unit_bytes};
    return d;
}

void decoder_close(struct decoder **decoder) {
    if (!*decoder) return;
    iconv_close((*decoder)->converter);
    free(*decoder);
    *decoder = NULL;
}

static char *put_bad(char *out, struct str bytes) {
    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char byte = (unsigned char)bytes.ptr[i];
        *out++ = ENCODING_BAD;
        *out++ = (char)(0x80 | byte >> 4);
        *out++ = (char)(0x80 | (byte & 15));
    }
    return out;
}

size_t decoder_step(struct decoder *decoder, struct str bytes, bool is_final, char *out, size_t room, size_t *made) {
    char *in, *to = out;
    memcpy(&in, &bytes.ptr, sizeof in); /* iconv takes the input as char *, and does not write there */
    size_t left = bytes.len, free_bytes = room;
    while (left) {
        size_t rc = iconv(decoder->converter, &in, &left, &to, &free_bytes);
        if (rc != (size_t)-1 || errno == E2BIG || (errno == EINVAL && !is_final)) break;
        size_t bad = left < decoder->unit_bytes ? left : decoder->unit_bytes;
        if (free_bytes < bad * ENCODING_BAD_BYTES) break;
        to = put_bad(to, (struct str){in, bad});
        in += bad;
        left -= bad;
        free_bytes -= bad * ENCODING_BAD_BYTES;
        iconv(decoder->converter, NULL, NULL, NULL, NULL); /* forget what the bad bytes led to */
    }
    *made = (size_t)(to - out);
    return bytes.len - left;
}
