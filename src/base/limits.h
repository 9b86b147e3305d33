/** Every limit on untrusted input, in one place. Beyond one a call fails with LIMIT, naming it. */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

enum {
    LIMIT_YAML_BYTES = 4 * 1024 * 1024,
    LIMIT_YAML_DEPTH = 64,
    LIMIT_JSON_DEPTH = 512,
    LIMIT_KEY_BYTES = 2048,     /* of an object in the lake */
    LIMIT_KEY_PART_BYTES = 255, /* between two slashes, as file systems have it */
    LIMIT_BATCH_ID_BYTES = 200, /* `batch_id=<id>` is a part of a key */
    LIMIT_COLUMNS = 20000,
    LIMIT_RULE_DEPTH = 200, /* nesting of a rule's expression */
    LIMIT_RULE_BYTES = 64 * 1024,
    LIMIT_COMMIT_RETRIES = 100,              /* versions tried for one commit */
    LIMIT_REDO = 20,                         /* times that work is done again on a newer snapshot */
    LIMIT_DIAGNOSTICS = 200,                 /* mistakes reported for one contract */
    LIMIT_RECORD_BYTES = 1024 * 1024 * 1024, /* one CSV or JSON record */
    LIMIT_COMMIT_BYTES = 1024 * 1024 * 1024, /* one JSON commit of a Delta log */
};

#endif
