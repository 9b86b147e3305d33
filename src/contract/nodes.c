/*
 * Reading nodes by key. Every function takes NULL and nodes of another kind for an absent value, so that readers of
 * meaning chain them without asking; the shape step has reported what is wrong.
 */
#include "contract/reader.h"

static const struct yaml_node *of_kind(const struct yaml_node *mapping, const char *key, enum yaml_kind kind) {
    if (!mapping || mapping->kind != YAML_MAPPING) return NULL;
    const struct yaml_node *node = yaml_get(mapping, str_of(key));
    return !yaml_is_null(node) && node->kind == kind ? node : NULL;
}

const struct yaml_node *scalar_of(const struct yaml_node *mapping, const char *key) {
    return of_kind(mapping, key, YAML_SCALAR);
}

const struct yaml_node *list_of(const struct yaml_node *mapping, const char *key) {
    return of_kind(mapping, key, YAML_SEQUENCE);
}

const struct yaml_node *mapping_of(const struct yaml_node *mapping, const char *key) {
    return of_kind(mapping, key, YAML_MAPPING);
}

struct str text_of(const struct yaml_node *mapping, const char *key) {
    const struct yaml_node *node = scalar_of(mapping, key);
    return node ? node->text : (struct str){0};
}

bool flag_of(const struct yaml_node *mapping, const char *key, bool otherwise) {
    bool value;
    const struct yaml_node *node = scalar_of(mapping, key);
    return node && yaml_bool(node, &value) ? value : otherwise;
}

const struct yaml_node *mapping_at(const struct yaml_node *list, size_t index) {
    if (!list || list->kind != YAML_SEQUENCE || index >= list->count) return NULL;
    return list->items[index]->kind == YAML_MAPPING ? list->items[index] : NULL;
}

struct contract_place place_of(const struct yaml_node *node) {
    return (struct contract_place){node->line, node->column};
}

bool custom_is_assay(const struct yaml_node *item, struct str *name) {
    static const struct str prefix = {"assay", 5};
    struct str property = text_of(item, "property"), vendor = text_of(item, "vendor");
    if (vendor.len) {
        *name = property;
        return str_eq_nocase(vendor, prefix);
    }
    if (!str_eq_nocase(str_sub(property, 0, prefix.len), prefix)) return false;
    *name = str_sub(property, prefix.len, property.len);
    return true;
}

static bool is_custom(const struct yaml_node *item, struct str name) {
    struct str found;
    if (!custom_is_assay(item, &found) || found.len != name.len) return false;
    /* `assayGrain` and `grain` of vendor assay are the same name; only the first letter's case differs */
    return str_eq_nocase(str_sub(found, 0, 1), str_sub(name, 0, 1)) &&
           str_eq(str_sub(found, 1, found.len), str_sub(name, 1, name.len));
}

const struct yaml_node *custom_of(const struct yaml_node *owner, const char *name) {
    const struct yaml_node *list = list_of(owner, "customProperties");
    for (size_t i = 0; list && i < list->count; i++) {
        const struct yaml_node *item = mapping_at(list, i);
        if (!item || !is_custom(item, str_of(name))) continue;
        const struct yaml_node *value = yaml_get(item, STR("value"));
        return yaml_is_null(value) ? NULL : value;
    }
    return NULL;
}
