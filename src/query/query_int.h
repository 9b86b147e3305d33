/** What the files of query/ share. No other module includes this. */
#ifndef QUERY_QUERY_INT_H
#define QUERY_QUERY_INT_H

#include "query/query.h"

/** The text with every `schema.table@state` in quotes, `schema."table@state"`. INVALID the state is none. */
enum assay_code query_quote_states(struct str sql, struct arena *arena, struct str *out,
                                   struct assay_error *err) NODISCARD;

/** Whether the text after an `@` is a state, and how long it is; 0 if not. */
size_t query_state_length(struct str text);

/** OK if the text only reads the lake's tables; they are listed in *tables, each once. */
enum assay_code query_check(struct engine *engine, struct str sql, struct arena *arena, struct query_table **tables,
                            size_t *count, struct assay_error *err) NODISCARD;

#endif
