/*
 * A table on a terminal.
 *
 * 1. A column is as wide as its widest value as the terminal shows it: wide characters count two, combining ones none.
 * 2. A value never breaks the layout: control characters are shown as \\xHH, long values are cut.
 */
#include "cli/print_table.h"

#include "base/unicode.h"

struct shown {
    struct str text;
    size_t width;
};

static struct shown show(struct arena *arena, struct str value) {
    struct buf text = {0};
    buf_add_printable(&text, str_sub(value, 0, 16 * PRINT_TABLE_CELL_WIDTH)); /* no more than may be seen */
    struct str whole = buf_str(&text), cut = unicode_cut(whole, PRINT_TABLE_CELL_WIDTH);
    if (cut.len < whole.len) {
        cut = unicode_cut(whole, PRINT_TABLE_CELL_WIDTH - 1);
        text.len = cut.len;
        buf_addz(&text, "…");
    }
    struct str copy = str_copy(arena, buf_str(&text));
    buf_free(&text);
    return (struct shown){copy, unicode_width(copy)};
}

static void add_blanks(struct buf *out, size_t count, char c) {
    while (count-- > 0) buf_addc(out, c);
}

static void print_line(struct buf *out, const struct shown *cells, const size_t *widths, size_t count,
                       const bool *is_right) {
    for (size_t i = 0; i < count; i++) {
        size_t gap = widths[i] - cells[i].width;
        bool right = is_right && is_right[i];
        if (i) buf_addz(out, "  ");
        if (right) add_blanks(out, gap, ' ');
        buf_add(out, cells[i].text);
        if (!right && i + 1 < count) add_blanks(out, gap, ' ');
    }
    while (out->len && out->data[out->len - 1] == ' ') out->data[--out->len] = '\0'; /* an empty last cell */
    buf_addc(out, '\n');
}

void print_table(struct buf *out, const struct engine_result *rows, const bool *is_right) {
    struct arena arena = {0};
    size_t count = rows->column_count, cells = rows->row_count * count;
    struct shown *head = ARENA_ARRAY(&arena, count, struct shown), *body = ARENA_ARRAY(&arena, cells, struct shown);
    size_t *widths = ARENA_ARRAY(&arena, count, size_t);
    for (size_t i = 0; i < count; i++) {
        head[i] = show(&arena, rows->columns[i]);
        widths[i] = head[i].width;
    }
    for (size_t i = 0; i < cells; i++) {
        body[i] = show(&arena, rows->cells[i].is_null ? STR("NULL") : rows->cells[i].text);
        if (body[i].width > widths[i % count]) widths[i % count] = body[i].width;
    }
    print_line(out, head, widths, count, is_right);
    for (size_t i = 0; i < count; i++) {
        if (i) buf_addz(out, "  ");
        add_blanks(out, widths[i], '-');
    }
    buf_addc(out, '\n');
    for (size_t r = 0; r < rows->row_count; r++) print_line(out, body + r * count, widths, count, is_right);
    arena_reset(&arena);
}
