/**
 * YAML, over libyaml's parser (the one place that knows the library), read into a tree that knows its places.
 *
 * Refused, each with its place: more than one document, duplicate keys, anchors, aliases, tags, merge keys, keys that
 * are not scalars, depth over LIMIT_YAML_DEPTH, size over LIMIT_YAML_BYTES, bytes that are not UTF-8. A UTF-8 BOM is
 * skipped. Scalars stay text: what they mean is the reader's question (so `NO`, `007` and `2024-01-01` are never
 * guessed).
 */
#ifndef BASE_YAML_H
#define BASE_YAML_H

#include "base/str.h"

enum yaml_kind { YAML_SCALAR, YAML_SEQUENCE, YAML_MAPPING };

struct yaml_member;

/** line and column count from 1; column counts bytes of the line. All of it lives in the arena. */
struct yaml_node {
    enum yaml_kind kind;
    bool is_quoted; /* scalar in quotes or a block: never null, true, 1 */
    uint32_t line, column;
    struct str text;             /* scalar */
    struct yaml_node **items;    /* sequence */
    struct yaml_member *members; /* mapping, in source order */
    size_t count;                /* of items or members */
};

struct yaml_member {
    struct str key;
    uint32_t line, column; /* of the key */
    struct yaml_node *value;
};

/**
 * @param name  the file as the user knows it, for the error's place `name:line:column`
 * @param[out] out root; an empty document is a null scalar (empty text, not quoted)
 * @return OK; INVALID with place; LIMIT
 */
enum assay_code yaml_parse(struct str text, const char *name, struct arena *arena, struct yaml_node **out,
                           struct assay_error *err) NODISCARD;

/** The member of a mapping, or NULL. */
const struct yaml_member *yaml_member(const struct yaml_node *mapping, struct str key);
/** Its value, or NULL. */
const struct yaml_node *yaml_get(const struct yaml_node *mapping, struct str key);
/** Unquoted and empty, `~`, `null`, `Null` or `NULL`; or node is NULL. */
bool yaml_is_null(const struct yaml_node *node);
/** YAML 1.2 core schema: unquoted `true`/`True`/`TRUE` or `false`...; false if it is neither. */
bool yaml_bool(const struct yaml_node *node, bool *out);
/** Unquoted decimal integer. */
bool yaml_int(const struct yaml_node *node, int64_t *out);

#endif
