/* Widths are counted in characters, so that names beyond ASCII keep the columns straight. A line end inside a cell
 * prints as a blank. */
#include "plan/grid.h"

void grid_add(struct grid *grid, struct grid_row row) {
    LIST_PUSH(grid->arena, grid->rows, grid->count, grid->capacity) = row;
}

static void print_cell(struct buf *out, struct str cell) {
    for (size_t i = 0; i < cell.len; i++) buf_addc(out, cell.ptr[i] == '\n' || cell.ptr[i] == '\r' ? ' ' : cell.ptr[i]);
}

static void print_blanks(struct buf *out, size_t count) {
    while (count-- > 0) buf_addc(out, ' ');
}

void grid_print(const struct grid *grid, struct buf *out) {
    size_t width[GRID_COLUMNS] = {0};
    for (size_t r = 0; r < grid->count; r++)
        for (size_t c = 0; c < GRID_COLUMNS; c++) {
            size_t characters = str_utf8_count(grid->rows[r].cells[c]);
            if (characters > width[c]) width[c] = characters;
        }
    for (size_t r = 0; r < grid->count; r++) {
        size_t owed = 2;
        for (size_t c = 0; c < GRID_COLUMNS; c++) {
            struct str cell = grid->rows[r].cells[c];
            if (cell.len) {
                print_blanks(out, owed);
                print_cell(out, cell);
                owed = 0;
            }
            if (width[c]) owed += width[c] - str_utf8_count(cell) + 2;
        }
        buf_addc(out, '\n');
    }
}
