/**
 * What may stand where: the standard's and assay's own properties as data, and one walker that compares a file with it.
 */
#ifndef CONTRACT_SHAPE_H
#define CONTRACT_SHAPE_H

#include "contract/reader.h"

enum shape_kind {
    SHAPE_ANY,
    SHAPE_TEXT, /* a scalar */
    SHAPE_WORD, /* a scalar that is one of `words` */
    SHAPE_BOOL,
    SHAPE_INT, /* 0 or more */
    SHAPE_NUMBER,
    SHAPE_LIST,    /* of `item` */
    SHAPE_MAPPING, /* of `keys` */
    SHAPE_CUSTOM,  /* customProperties: a list of {property, value}; `keys` are assay's own at this place */
    SHAPE_TEAM,    /* the standard's two forms of `team` */
};

enum {
    KEY_REQUIRED = 1,
    KEY_REQUIRED_BEFORE_32 = 2,
    KEY_SINCE_31 = 4,
    KEY_SINCE_32 = 8,
};

struct shape;

struct shape_key {
    const char *name;
    const struct shape *shape;
    unsigned flags;
};

struct shape {
    enum shape_kind kind;
    const char *noun;          /* `a column`, for messages */
    const struct shape *item;  /* LIST; TEAM: its older form, a list */
    const struct shape *other; /* TEAM: its newer form, a mapping */
    const struct shape_key *keys;
    const char *const *words;
    size_t count;       /* of keys or words */
    bool is_open;       /* unknown keys are other tools' business */
    bool is_open_in_30; /* ... were so before v3.1: warnings there */
};

#define SHAPE_COUNT(list) (sizeof(list) / sizeof(list)[0])

extern const struct shape shape_contract; /* the whole file */

/* Values of assay's own properties, and where each may stand. */
extern const struct shape custom_of_root, custom_of_table, custom_of_column, custom_of_quality, custom_of_relationship,
    custom_of_sla, custom_of_elsewhere;

/** logicalTypeOptions depend on the logical type; NULL when the type has none or is not known. */
const struct shape *shape_options(struct str logical_type);

/** Report everything that does not belong or is missing. `what` names the node in messages, such as "'schema'". */
void shape_check(struct reader *r, const struct shape *shape, const struct yaml_node *node, const char *what);

#endif
