/** Rows of cells as aligned text: columns as wide as their widest cell, two blanks between, none at a line's end. */
#ifndef PLAN_GRID_H
#define PLAN_GRID_H

#include "base/str.h"

enum { GRID_COLUMNS = 6 };

struct grid_row {
    struct str cells[GRID_COLUMNS];
};

/** Initialise with `struct grid g = {.arena = arena}`. */
struct grid {
    struct arena *arena;
    struct grid_row *rows;
    size_t count, capacity;
};

/** Add a row; the views must stay valid until grid_print. Cells hold valid UTF-8. */
void grid_add(struct grid *grid, struct grid_row row);
/** Print with two blanks in front of each row. Columns without any text take no room. */
void grid_print(const struct grid *grid, struct buf *out);

#endif
