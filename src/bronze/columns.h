/** The columns of a batch: what bronze gets of its files, and which field of a file fills which column. */
#ifndef BRONZE_COLUMNS_H
#define BRONZE_COLUMNS_H

#include "plan/plan.h"

struct bronze_column {
    struct str name;      /* as the contract has it, else as the first file that has it spells it */
    struct str type_json; /* as in a Delta schema; empty: string */
};

/**
 * The columns that the contract reads, in its order, then those that the batch's files bring beyond them, in order of
 * first appearance. Names are different whatever their case, which is Unicode's, as in Spark.
 * Reading is safe from several threads at once.
 */
struct bronze_columns {
    struct bronze_column *list;
    size_t count;
    size_t contract_count; /* the leading ones are the contract's */

    struct arena *arena; /* private, as all below */
    size_t capacity;
    struct column_slot {
        struct str key; /* the name in lower case */
        size_t index;
    } * slots; /* a hash table; a free slot has no key */
    size_t slot_count;
};

/** The contract's source columns, to which others can be added. Everything lives in the arena. */
void columns_open(struct bronze_columns *columns, const struct plan *plan, struct arena *arena);
/** Index, or SIZE_MAX. */
size_t columns_find(const struct bronze_columns *columns, struct str name);
/** A name that is not there yet; its index. The name is copied. */
size_t columns_add(struct bronze_columns *columns, struct str name);

/** Why a table's column cannot have this name, in words (`has a blank in it`); NULL: it can. assay's own columns are
 * taken. */
const char *column_name_fault(struct str name);

#endif
