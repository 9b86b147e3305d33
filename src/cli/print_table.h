/** Rows for people: columns that line up, NULL visible. */
#ifndef CLI_PRINT_TABLE_H
#define CLI_PRINT_TABLE_H

#include "engine/engine.h"

/** Wider values are cut, with an ellipsis. */
enum { PRINT_TABLE_CELL_WIDTH = 60 };

/** is_right: per column, numbers stand right; NULL: none do. */
void print_table(struct buf *out, const struct engine_result *rows, const bool *is_right);

#endif
