/** Values of a query as text for people, CSV and JSON. */
#ifndef CLI_VALUE_TEXT_H
#define CLI_VALUE_TEXT_H

#include "query/query.h"

/** Of the engine's types: integers, decimals and floating point. */
bool value_text_is_number(struct str type);
/** As Spark prints it; not for NULL. */
void value_text_print(struct buf *out, struct str type, struct str text);
/** One JSON object and a line end: numbers, booleans and nested values bare, all else as strings. */
void value_text_json_row(struct buf *out, const struct query_column *columns, size_t count,
                         const struct engine_cell *cells);

#endif
