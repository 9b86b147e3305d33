/*
 * Where the files are and how they are read; bronze and quarantine.
 *
 * Defaults: the pattern is `*` and the format's usual ending; bronze is `bronze.<source>_<entity>_raw` after the last
 * two parts of the path, quarantine `quarantine.<table>`. Source of the settings and their defaults: the oracle's
 * README, "A batch loaded again".
 */
#include "contract/reader.h"

static void check_path(struct reader *r, const struct yaml_node *node) {
    if (str_find(node->text, STR("${")) != SIZE_MAX) {
        report_error(r, mark_node(r, node), "unsupported", STR("write the path out"),
                     "variables in a path are not resolved yet");
        return;
    }
    struct str rest = node->text, part;
    bool is_bad = rest.len == 0 || str_find_char(rest, '\\') != SIZE_MAX || str_find_char(rest, '\0') != SIZE_MAX;
    while (!is_bad && rest.len) {
        rest = str_split(rest, '/', &part);
        is_bad = part.len == 0 || str_eq(part, STR(".")) || str_eq(part, STR(".."));
    }
    if (is_bad)
        report_error(r, mark_node(r, node), "bad-path",
                     STR("write it relative to the lake's Files/, such as landing/erp/orders"),
                     "'%.*s' is no path inside the lake", STR_ARG(shown(r, node->text)));
}

static void read_pattern(struct reader *r, const struct yaml_node *source, struct contract_source *out) {
    static const struct str endings[] = {[CONTRACT_CSV] = {"*.csv", 5},
                                         [CONTRACT_JSON] = {"*.json", 6},
                                         [CONTRACT_PARQUET] = {"*.parquet", 9},
                                         [CONTRACT_DELTA] = {"*.parquet", 9}};
    const struct yaml_node *node = scalar_of(source, "pattern");
    bool is_delta = out->format == CONTRACT_DELTA;
    out->pattern = node && !is_delta ? node->text : endings[out->format];
    out->takes_packed = !node && !contract_format_is_typed(out->format);
    if (!node) return;
    if (is_delta) {
        report_warning(r, mark_node(r, node), "unused-setting", STR("take the line out"),
                       "'pattern' says nothing about a Delta table: its log says which files are read");
        return;
    }
    if (node->text.len == 0 || str_find_char(node->text, '/') != SIZE_MAX)
        report_error(r, mark_node(r, node), "bad-pattern",
                     STR("write a pattern of file names, such as *.csv; folders are not read"),
                     "'%.*s' matches no file name", STR_ARG(shown(r, node->text)));
}

/* Settings that say nothing about files of the format. */
static void check_unused(struct reader *r, const struct yaml_node *source, const struct contract_source *out) {
    static const struct {
        const char *name;
        bool of_json, of_typed;
    } settings[] = {{"header", false, true},       {"delimiter", false, false}, {"quote", false, false},
                    {"escape", false, false},      {"multiLine", true, false},  {"maxRecordBytes", true, false},
                    {"comment", false, false},     {"skipTop", false, false},   {"skipBottom", false, false},
                    {"nullMarkers", false, false}, {"encoding", true, false}};
    if (out->format == CONTRACT_CSV) return;
    bool is_json = out->format == CONTRACT_JSON, is_delta = out->format == CONTRACT_DELTA;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        if (is_json ? settings[i].of_json : settings[i].of_typed) continue;
        if (!scalar_of(source, settings[i].name) && !list_of(source, settings[i].name)) continue;
        report_warning(r, mark_member(r, source, settings[i].name), "unused-setting", STR("take the line out"),
                       "'%s' says nothing about %s", settings[i].name,
                       is_json    ? "files of JSON"
                       : is_delta ? "a Delta table"
                                  : "files of Parquet");
    }
    if (!is_json && out->header == CONTRACT_HEADER_NONE)
        report_error(r, mark_member(r, source, "header"), "unsupported", STR("write strict or byName"),
                     is_delta ? "a Delta table's columns have names" : "Parquet files have names");
}

static void read_files(struct reader *r, const struct yaml_node *source) {
    struct contract_source *out = &r->contract->source;
    const struct yaml_node *path = scalar_of(source, "path");
    if (path) {
        check_path(r, path);
        out->path = path->text;
        while (out->path.len && out->path.ptr[out->path.len - 1] == '/') out->path.len--;
    }
    struct str format = text_of(source, "format"), header = text_of(source, "header");
    out->format = str_eq(format, STR("json"))      ? CONTRACT_JSON
                  : str_eq(format, STR("parquet")) ? CONTRACT_PARQUET
                  : str_eq(format, STR("delta"))   ? CONTRACT_DELTA
                                                   : CONTRACT_CSV;
    out->header = str_eq(header, STR("byName")) ? CONTRACT_HEADER_BY_NAME
                  : str_eq(header, STR("none")) ? CONTRACT_HEADER_NONE
                                                : CONTRACT_HEADER_STRICT;
    read_pattern(r, source, out);
    read_dialect(r, source, out);
    check_unused(r, source, out);
}

/* `<source>_<entity>` of `landing/<source>/<entity>`, fit for a table's name. */
static struct str bronze_stem(const struct reader *r) {
    struct str path = r->contract->source.path, entity = str_basename(path);
    struct str above =
        entity.len < path.len ? str_basename(str_sub(path, 0, path.len - entity.len - 1)) : (struct str){0};
    char *stem =
        str_c(r->arena, above.len ? str_printf(r->arena, "%.*s_%.*s", STR_ARG(above), STR_ARG(entity)) : entity);
    for (char *c = stem; *c; c++)
        if (!(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z') && !(*c >= '0' && *c <= '9')) *c = '_';
    return str_of(stem);
}

static void read_properties(struct reader *r, const struct yaml_node *properties) {
    if (!properties) return;
    struct contract *c = r->contract;
    c->bronze_properties = ARENA_ARRAY(r->arena, 2 * properties->count, struct str);
    for (size_t i = 0; i < properties->count; i++) {
        const struct yaml_member *member = &properties->members[i];
        if (member->value->kind != YAML_SCALAR || yaml_is_null(member->value)) {
            report_error(r, mark_key(member), "wrong-kind", (struct str){0},
                         "the table property '%.*s' needs a single value", STR_ARG(shown(r, member->key)));
            continue;
        }
        c->bronze_properties[2 * c->bronze_property_count] = member->key;
        c->bronze_properties[2 * c->bronze_property_count + 1] = member->value->text;
        c->bronze_property_count++;
    }
}

static void read_zones(struct reader *r) {
    struct contract *c = r->contract;
    const struct yaml_node *bronze = custom_of(r->table, "bronze"), *quarantine = custom_of(r->table, "quarantine");
    const struct yaml_node *table = scalar_of(bronze, "table");
    struct str stem = bronze_stem(r), head, silver = str_split(c->table, '.', &head);
    c->bronze_table = table ? table_name_read(r, table, table->text, "bronze")
                            : str_printf(r->arena, "bronze.%.*s_raw", STR_ARG(stem));
    read_properties(r, mapping_of(bronze, "properties"));
    table = scalar_of(quarantine, "table");
    c->quarantine_table = table ? table_name_read(r, table, table->text, "quarantine")
                                : str_printf(r->arena, "quarantine.%.*s", STR_ARG(silver));
    if (!flag_of(quarantine, "keepRawValues", true))
        report_error(r, mark_member(r, quarantine, "keepRawValues"), "unsupported",
                     STR("write true, or take the line out"),
                     "quarantine always keeps the raw values: they are the evidence");
}

static void check_distinct(struct reader *r) {
    const struct contract *c = r->contract;
    struct mark at = mark_member(r, r->table, "physicalName");
    if (str_eq_nocase(c->table, c->bronze_table) || str_eq_nocase(c->table, c->quarantine_table) ||
        str_eq_nocase(c->bronze_table, c->quarantine_table))
        report_error(r, at, "duplicate-table", STR("give silver, bronze and quarantine a table each"),
                     "'%.*s' reads from, writes to and rejects into tables that are not all different",
                     STR_ARG(shown(r, c->table)));
}

void read_source(struct reader *r) {
    const struct yaml_node *source = custom_of(r->table, "source");
    if (!source)
        report_error(r, mark_member(r, r->table, "customProperties"), "missing-property",
                     STR("add - property: assaySource with value: {path: landing/<source>/<entity>, format: csv}"),
                     "a table needs assay's property 'source': where its files land");
    read_files(r, source);
    read_zones(r);
    check_distinct(r);
}
