/*
 * The walker that compares a file with the tables of shape_standard.c and shape_assay.c.
 *
 * 1. Every node is looked at once, and every mistake is reported; nothing stops the walk.
 * 2. A key without a value (`name:`) is a warning: the reader treats it as absent. Where the key is required it is
 * missing.
 * 3. A property of a version newer than the file's apiVersion is used, with a warning, because tools that obey the JSON
 * schema of that version refuse the file.
 * 4. A text that is a number, a boolean or a date to other readers of YAML is taken as written, with a warning.
 * 5. assay's own names are always an error when they are not known, whatever the place.
 */
#include "contract/shape.h"

#include <stdio.h>

enum { MAX_KEYS = 40 };

static size_t key_names(const struct shape *shape, struct str names[MAX_KEYS]) {
    size_t n = shape->count < MAX_KEYS ? shape->count : MAX_KEYS;
    for (size_t i = 0; i < n; i++) names[i] = str_of(shape->keys[i].name);
    return n;
}

static const struct shape_key *find_key(const struct shape *shape, struct str name) {
    for (size_t i = 0; i < shape->count; i++)
        if (str_eq(name, str_of(shape->keys[i].name))) return &shape->keys[i];
    return NULL;
}

static void check_unknown_key(struct reader *r, const struct shape *shape, const struct yaml_member *member) {
    if (shape->is_open) return;
    struct str names[MAX_KEYS];
    struct str help = hint_names(r, member->key, names, key_names(shape, names));
    struct str key = shown(r, member->key);
    if (shape->is_open_in_30 && r->minor == 0)
        report_warning(r, mark_key(member), "unknown-property", help, "%s has no property '%.*s'", shape->noun,
                       STR_ARG(key));
    else
        report_error(r, mark_key(member), "unknown-property", help, "%s has no property '%.*s'", shape->noun,
                     STR_ARG(key));
}

static void check_version(struct reader *r, const struct shape_key *key, const struct yaml_member *member) {
    int since = key->flags & KEY_SINCE_32 ? 2 : key->flags & KEY_SINCE_31 ? 1 : 0;
    if (r->minor >= since) return;
    report_warning(r, mark_key(member), "newer-property", str_printf(r->arena, "write apiVersion: v3.%d.0", since),
                   "'%s' belongs to v3.%d of the standard; other tools refuse it in a file of v3.%d", key->name, since,
                   r->minor);
}

static void check_missing_keys(struct reader *r, const struct shape *shape, const struct yaml_node *node) {
    for (size_t i = 0; i < shape->count; i++) {
        const struct shape_key *key = &shape->keys[i];
        bool is_required = key->flags & KEY_REQUIRED || (key->flags & KEY_REQUIRED_BEFORE_32 && r->minor < 2);
        if (!is_required) continue;
        const struct yaml_member *member = yaml_member(node, str_of(key->name));
        if (member && (key->shape->kind == SHAPE_ANY || !yaml_is_null(member->value))) continue;
        struct mark at = member ? mark_key(member) : mark_node(r, node);
        report_error(r, at, "missing-property", (struct str){0}, "%s needs '%s'%s", shape->noun, key->name,
                     member ? ", and it has no value here" : "");
    }
}

static void check_mapping(struct reader *r, const struct shape *shape, const struct yaml_node *node) {
    for (size_t i = 0; i < node->count; i++) {
        const struct yaml_member *member = &node->members[i];
        const struct shape_key *key = find_key(shape, member->key);
        if (!key) {
            check_unknown_key(r, shape, member);
            continue;
        }
        check_version(r, key, member);
        if (key->shape->kind == SHAPE_ANY) continue;
        if (!yaml_is_null(member->value)) {
            char what[80];
            snprintf(what, sizeof what, "'%s'", key->name);
            shape_check(r, key->shape, member->value, what);
        } else if (!(key->flags & KEY_REQUIRED)) {
            report_warning(r, mark_key(member), "empty-value", STR("give it a value, or take the line out"),
                           "'%s' has no value and is not used", key->name);
        }
    }
    check_missing_keys(r, shape, node);
}

static bool is_number(const struct yaml_node *node) {
    struct str mantissa, exponent = str_split(node->text, 'e', &mantissa);
    if (mantissa.len == node->text.len) exponent = str_split(node->text, 'E', &mantissa);
    int64_t power;
    if (mantissa.len == node->text.len) return !node->is_quoted && decimal_text_is(node->text);
    if (exponent.len && exponent.ptr[0] == '+') exponent = str_sub(exponent, 1, exponent.len);
    return !node->is_quoted && decimal_text_is(mantissa) && str_int64(exponent, &power) == ASSAY_OK;
}

static void report_kind(struct reader *r, const struct yaml_node *node, const char *what, const char *wanted,
                        const char *help) {
    static const char *const kinds[] = {"a single value", "a list", "a mapping"};
    struct mark at = mark_node(r, node);
    if (node->kind != YAML_SCALAR)
        report_error(r, at, "wrong-kind", str_of(help), "%s is %s; expected %s", what, kinds[node->kind], wanted);
    else
        report_error(r, at, "wrong-kind", str_of(help), "%s is '%.*s'; expected %s", what,
                     STR_ARG(shown(r, node->text)), wanted);
}

static void check_text(struct reader *r, const struct yaml_node *node, const char *what) {
    if (node->kind != YAML_SCALAR || yaml_is_null(node))
        report_kind(r, node, what, "a text", "");
    else if (is_ambiguous(node) || (!node->is_quoted && decimal_text_is(node->text)))
        warn_ambiguous(r, node);
}

static void check_bool(struct reader *r, const struct yaml_node *node, const char *what) {
    bool value;
    if (node->kind == YAML_SCALAR && yaml_bool(node, &value)) return;
    const char *help = "";
    if (node->kind == YAML_SCALAR) {
        bool is_yes = str_eq_nocase(node->text, STR("yes")) || str_eq_nocase(node->text, STR("on")) ||
                      str_eq_nocase(node->text, STR("true")) || str_eq(node->text, STR("1"));
        help = is_yes ? "write true, without quotes" : "write false, without quotes";
    }
    report_kind(r, node, what, "true or false", help);
}

static void check_int(struct reader *r, const struct yaml_node *node, const char *what) {
    int64_t value;
    if (node->kind == YAML_SCALAR && yaml_int(node, &value) && value >= -1) return;
    report_kind(r, node, what, "a whole number", node->is_quoted ? "write it without quotes" : "");
}

static void check_word(struct reader *r, const struct shape *shape, const struct yaml_node *node, const char *what) {
    if (node->kind != YAML_SCALAR) {
        report_kind(r, node, what, "a single word", "");
        return;
    }
    struct str words[MAX_KEYS];
    size_t n = shape->count < MAX_KEYS ? shape->count : MAX_KEYS;
    for (size_t i = 0; i < n; i++) {
        words[i] = str_of(shape->words[i]);
        if (str_eq(words[i], node->text)) return;
    }
    report_error(r, mark_node(r, node), "unknown-word", hint_names(r, node->text, words, n), "%s cannot be '%.*s'",
                 what, STR_ARG(shown(r, node->text)));
}

/* The name as it is written in the table: `assayGrain` is `grain`. */
static struct str table_name_of_custom(const struct reader *r, const struct yaml_node *item, struct str name) {
    bool is_prefixed = name.len != text_of(item, "property").len;
    if (!is_prefixed || name.len == 0 || name.ptr[0] < 'A' || name.ptr[0] > 'Z')
        return is_prefixed ? (struct str){0} : name;
    char *first_small = str_c(r->arena, name);
    first_small[0] = (char)(first_small[0] - 'A' + 'a');
    return (struct str){first_small, name.len};
}

static const char *other_place(struct str name) {
    static const struct shape *const places[] = {&custom_of_root,    &custom_of_table,        &custom_of_column,
                                                 &custom_of_quality, &custom_of_relationship, &custom_of_sla};
    for (size_t i = 0; i < SHAPE_COUNT(places); i++)
        if (find_key(places[i], name)) return places[i]->noun;
    return NULL;
}

static void report_custom(struct reader *r, const struct shape *shape, const struct yaml_node *item, struct str name) {
    const struct yaml_node *property = scalar_of(item, "property");
    struct mark at = mark_node(r, property);
    struct str text = shown(r, property->text), names[MAX_KEYS];
    const char *place = other_place(name);
    if (place) {
        report_error(r, at, "misplaced-property", str_printf(r->arena, "put it into the customProperties of %s", place),
                     "'%.*s' does not belong to %s", STR_ARG(text), shape->noun);
        return;
    }
    size_t count = key_names(shape, names);
    bool is_prefixed = !str_eq_nocase(text_of(item, "vendor"), STR("assay"));
    for (size_t i = 0; i < count && is_prefixed; i++) {
        struct str plain = names[i];
        names[i] = str_printf(r->arena, "assay%c%.*s", plain.ptr[0] - 'a' + 'A', (int)plain.len - 1, plain.ptr + 1);
    }
    report_error(r, at, "unknown-property", hint_names(r, property->text, names, count),
                 "assay has no property '%.*s' of %s", STR_ARG(text), shape->noun);
}

static void check_custom_item(struct reader *r, const struct shape *shape, const struct yaml_node *item,
                              uint64_t *seen) {
    struct str found;
    if (!scalar_of(item, "property") || !custom_is_assay(item, &found)) return;
    struct str name = table_name_of_custom(r, item, found);
    const struct shape_key *key = find_key(shape, name);
    if (!key) {
        report_custom(r, shape, item, name);
        return;
    }
    uint64_t bit = UINT64_C(1) << (key - shape->keys);
    if (*seen & bit)
        report_error(r, mark_node(r, scalar_of(item, "property")), "duplicate-property", STR("keep one of them"),
                     "'%s' is given twice", key->name);
    *seen |= bit;
    const struct yaml_node *value = yaml_get(item, STR("value"));
    char what[80];
    snprintf(what, sizeof what, "the value of '%s'", key->name);
    if (!yaml_is_null(value))
        shape_check(r, key->shape, value, what);
    else if (yaml_member(item, STR("value")))
        report_error(r, mark_member(r, item, "value"), "missing-property", (struct str){0}, "%s is empty", what);
}

static void check_custom(struct reader *r, const struct shape *shape, const struct yaml_node *node) {
    static const struct shape text = {.kind = SHAPE_TEXT}, any = {.kind = SHAPE_ANY};
    static const struct shape_key keys[] = {
        {"property", &text, KEY_REQUIRED},    {"value", &any, KEY_REQUIRED},   {"id", &text, KEY_SINCE_31},
        {"description", &text, KEY_SINCE_31}, {"vendor", &text, KEY_SINCE_32},
    };
    static const struct shape entry = {.kind = SHAPE_MAPPING,
                                       .noun = "a custom property",
                                       .keys = keys,
                                       .count = SHAPE_COUNT(keys),
                                       .is_open_in_30 = true};
    uint64_t seen = 0;
    for (size_t i = 0; i < node->count; i++) {
        shape_check(r, &entry, node->items[i], "an item of 'customProperties'");
        const struct yaml_node *item = mapping_at(node, i);
        if (item) check_custom_item(r, shape, item, &seen);
    }
}

static void check_list(struct reader *r, const struct shape *shape, const struct yaml_node *node, const char *what) {
    struct str name = str_of(what);
    char of_list[100];
    snprintf(of_list, sizeof of_list, "an item of %.*s", (int)(name.len < 80 ? name.len : 80), name.ptr);
    for (size_t i = 0; i < node->count; i++) shape_check(r, shape->item, node->items[i], of_list);
}

void shape_check(struct reader *r, const struct shape *shape, const struct yaml_node *node, const char *what) {
    switch (shape->kind) {
    case SHAPE_ANY:
        return;
    case SHAPE_TEXT:
        check_text(r, node, what);
        return;
    case SHAPE_WORD:
        check_word(r, shape, node, what);
        return;
    case SHAPE_BOOL:
        check_bool(r, node, what);
        return;
    case SHAPE_INT:
        check_int(r, node, what);
        return;
    case SHAPE_NUMBER:
        if (node->kind != YAML_SCALAR || !is_number(node))
            report_kind(r, node, what, "a number", node->is_quoted ? "write it without quotes" : "");
        return;
    case SHAPE_LIST:
        if (node->kind == YAML_SEQUENCE)
            check_list(r, shape, node, what);
        else
            report_kind(r, node, what, "a list", "put '- ' before each item");
        return;
    case SHAPE_CUSTOM:
        if (node->kind == YAML_SEQUENCE)
            check_custom(r, shape, node);
        else
            report_kind(r, node, what, "a list of {property, value}",
                        "write - property: NAME and value: VALUE for each");
        return;
    case SHAPE_MAPPING:
        if (node->kind == YAML_MAPPING)
            check_mapping(r, shape, node);
        else
            report_kind(r, node, what, "a mapping", "");
        return;
    case SHAPE_TEAM:
        shape_check(r, node->kind == YAML_SEQUENCE ? shape->item : shape->other, node, what);
        return;
    }
}
