/*
 * The Open Data Contract Standard's properties, v3.0 to v3.2, as tables.
 *
 * 1. A place that the standard's JSON schema closes is closed here; `servers`, whose members depend on 44 types and
 * which assay does not read, is open but for what every server needs.
 * 2. What assay reads itself with better messages (apiVersion, kind, logicalType) is only a text here.
 * Source: odcs-json-schema v3.0.2, v3.1.0 and v3.2.0.
 */
#include "contract/shape.h"

#define MAPPING(noun_, keys_)                                                                                          \
    { .kind = SHAPE_MAPPING, .noun = noun_, .keys = keys_, .count = SHAPE_COUNT(keys_) }
#define MAPPING_OPEN_IN_30(noun_, keys_)                                                                               \
    { .kind = SHAPE_MAPPING, .noun = noun_, .keys = keys_, .count = SHAPE_COUNT(keys_), .is_open_in_30 = true }
#define LIST_OF(item_)                                                                                                 \
    { .kind = SHAPE_LIST, .item = item_ }
#define WORDS(words_)                                                                                                  \
    { .kind = SHAPE_WORD, .words = words_, .count = SHAPE_COUNT(words_) }

static const struct shape any = {.kind = SHAPE_ANY}, text = {.kind = SHAPE_TEXT}, boolean = {.kind = SHAPE_BOOL},
                          integer = {.kind = SHAPE_INT}, number = {.kind = SHAPE_NUMBER};
static const struct shape texts = LIST_OF(&text), anything = LIST_OF(&any);

/* ---- small things that stand in many places ---- */

static const struct shape_key definition_keys[] = {{"id", &text, KEY_SINCE_31},
                                                   {"url", &text, KEY_REQUIRED},
                                                   {"type", &text, KEY_REQUIRED},
                                                   {"description", &text, KEY_SINCE_31}};
static const struct shape definition = MAPPING_OPEN_IN_30("an authoritative definition", definition_keys);
static const struct shape definitions = LIST_OF(&definition);

static const struct shape_key description_keys[] = {{"purpose", &text, 0},
                                                    {"usage", &text, 0},
                                                    {"limitations", &text, 0},
                                                    {"authoritativeDefinitions", &definitions, 0},
                                                    {"customProperties", &custom_of_elsewhere, 0}};
static const struct shape description = {.kind = SHAPE_MAPPING,
                                         .noun = "'description'",
                                         .keys = description_keys,
                                         .count = SHAPE_COUNT(description_keys),
                                         .is_open = true};

static const struct shape_key support_keys[] = {
    {"id", &text, KEY_SINCE_31}, {"channel", &text, KEY_REQUIRED},
    {"url", &text, 0},           {"description", &text, 0},
    {"tool", &text, 0},          {"scope", &text, 0},
    {"invitationUrl", &text, 0}, {"customProperties", &custom_of_elsewhere, KEY_SINCE_31}};
static const struct shape support = MAPPING_OPEN_IN_30("an item of 'support'", support_keys);
static const struct shape supports = LIST_OF(&support);

static const struct shape_key price_keys[] = {
    {"id", &text, KEY_SINCE_31}, {"priceAmount", &number, 0}, {"priceCurrency", &text, 0}, {"priceUnit", &text, 0}};
static const struct shape price = MAPPING_OPEN_IN_30("'price'", price_keys);

static const struct shape_key member_keys[] = {{"id", &text, KEY_SINCE_31},
                                               {"username", &text, KEY_REQUIRED},
                                               {"name", &text, 0},
                                               {"description", &text, 0},
                                               {"role", &text, 0},
                                               {"dateIn", &text, 0},
                                               {"dateOut", &text, 0},
                                               {"replacedByUsername", &text, 0},
                                               {"tags", &texts, KEY_SINCE_31},
                                               {"customProperties", &custom_of_elsewhere, KEY_SINCE_31},
                                               {"authoritativeDefinitions", &definitions, KEY_SINCE_31}};
static const struct shape member = MAPPING_OPEN_IN_30("a member of 'team'", member_keys);
static const struct shape members = LIST_OF(&member);
static const struct shape_key team_keys[] = {{"id", &text, 0},
                                             {"name", &text, 0},
                                             {"description", &text, 0},
                                             {"members", &members, 0},
                                             {"tags", &texts, 0},
                                             {"customProperties", &custom_of_elsewhere, 0},
                                             {"authoritativeDefinitions", &definitions, 0}};
static const struct shape team_mapping = MAPPING("'team'", team_keys);
static const struct shape team = {.kind = SHAPE_TEAM, .item = &members, .other = &team_mapping};

static const struct shape_key role_keys[] = {{"id", &text, KEY_SINCE_31},
                                             {"role", &text, KEY_REQUIRED},
                                             {"description", &text, 0},
                                             {"access", &text, 0},
                                             {"firstLevelApprovers", &text, 0},
                                             {"secondLevelApprovers", &text, 0},
                                             {"customProperties", &custom_of_elsewhere, 0}};
static const struct shape role = MAPPING_OPEN_IN_30("an item of 'roles'", role_keys);
static const struct shape roles = LIST_OF(&role);

static const struct shape_key server_keys[] = {{"server", &text, KEY_REQUIRED},
                                               {"type", &text, KEY_REQUIRED},
                                               {"id", &text, KEY_SINCE_31},
                                               {"description", &text, 0},
                                               {"environment", &text, 0},
                                               {"roles", &anything, 0},
                                               {"customProperties", &custom_of_elsewhere, 0}};
static const struct shape server = {.kind = SHAPE_MAPPING,
                                    .noun = "an item of 'servers'",
                                    .keys = server_keys,
                                    .count = SHAPE_COUNT(server_keys),
                                    .is_open = true};
static const struct shape servers = LIST_OF(&server);

static const struct shape_key sla_keys[] = {{"id", &text, KEY_SINCE_31},
                                            {"property", &text, KEY_REQUIRED},
                                            {"value", &any, KEY_REQUIRED},
                                            {"valueExt", &any, 0},
                                            {"unit", &text, 0},
                                            {"element", &text, 0},
                                            {"driver", &text, 0},
                                            {"description", &text, KEY_SINCE_31},
                                            {"scheduler", &text, KEY_SINCE_31},
                                            {"schedule", &text, KEY_SINCE_31},
                                            {"customProperties", &custom_of_sla, KEY_SINCE_32},
                                            {"authoritativeDefinitions", &definitions, KEY_SINCE_32}};
static const struct shape sla = MAPPING_OPEN_IN_30("an item of 'slaProperties'", sla_keys);
static const struct shape slas = LIST_OF(&sla);

/* ---- quality, relationships ---- */

static const char *const quality_types[] = {"text", "library", "sql", "custom"};
static const char *const dimensions[] = {"accuracy", "completeness", "conformity", "consistency",
                                         "coverage", "timeliness",   "uniqueness"};
static const struct shape quality_type = WORDS(quality_types), dimension = WORDS(dimensions);
static const struct shape_key quality_keys[] = {{"id", &text, KEY_SINCE_31},
                                                {"name", &text, 0},
                                                {"description", &text, 0},
                                                {"type", &quality_type, 0},
                                                {"dimension", &dimension, 0},
                                                {"method", &text, 0},
                                                {"severity", &text, 0},
                                                {"businessImpact", &text, 0},
                                                {"unit", &text, 0},
                                                {"scheduler", &text, 0},
                                                {"schedule", &text, 0},
                                                {"metric", &text, 0},
                                                {"rule", &text, 0},
                                                {"arguments", &any, 0},
                                                {"query", &text, 0},
                                                {"engine", &text, 0},
                                                {"implementation", &any, 0},
                                                {"validValues", &anything, 0},
                                                {"mustBe", &any, 0},
                                                {"mustNotBe", &any, 0},
                                                {"mustBeGreaterThan", &number, 0},
                                                {"mustBeGreaterOrEqualTo", &number, 0},
                                                {"mustBeLessThan", &number, 0},
                                                {"mustBeLessOrEqualTo", &number, 0},
                                                {"mustBeBetween", &anything, 0},
                                                {"mustNotBeBetween", &anything, 0},
                                                {"tags", &texts, 0},
                                                {"authoritativeDefinitions", &definitions, 0},
                                                {"customProperties", &custom_of_quality, 0}};
static const struct shape quality_item = MAPPING_OPEN_IN_30("a quality rule", quality_keys);
static const struct shape quality = LIST_OF(&quality_item);

static const char *const relationship_types[] = {"foreignKey"};
static const struct shape relationship_type = WORDS(relationship_types);
static const struct shape_key reference_keys[] = {{"id", &text, KEY_SINCE_32},
                                                  {"to", &any, KEY_REQUIRED},
                                                  {"type", &relationship_type, 0},
                                                  {"customProperties", &custom_of_relationship, 0}};
static const struct shape reference = MAPPING("a relationship of a column", reference_keys);
static const struct shape references = LIST_OF(&reference);
static const struct shape_key relationship_keys[] = {{"id", &text, KEY_SINCE_32},
                                                     {"from", &any, KEY_REQUIRED},
                                                     {"to", &any, KEY_REQUIRED},
                                                     {"type", &relationship_type, 0},
                                                     {"customProperties", &custom_of_elsewhere, 0}};
static const struct shape relationship = MAPPING("a relationship of a table", relationship_keys);
static const struct shape relationships = LIST_OF(&relationship);

/* ---- columns ---- */

static const struct shape_key allowed_keys[] = {{"value", &any, KEY_REQUIRED},
                                                {"label", &text, 0},
                                                {"id", &text, 0},
                                                {"description", &text, 0},
                                                {"tags", &texts, 0},
                                                {"customProperties", &custom_of_elsewhere, 0},
                                                {"authoritativeDefinitions", &definitions, 0}};
static const struct shape allowed = MAPPING("an item of 'enum'", allowed_keys);
static const struct shape allowed_list = LIST_OF(&allowed);

static const char *const semantic_types[] = {"column", "measure", "dimension"};
static const struct shape semantic_type = WORDS(semantic_types);
static const struct shape column, columns;

static const struct shape_key column_keys[] = {{"id", &text, KEY_SINCE_31},
                                               {"name", &text, KEY_REQUIRED},
                                               {"physicalName", &text, 0},
                                               {"businessName", &text, 0},
                                               {"description", &text, 0},
                                               {"logicalType", &text, 0},
                                               {"logicalTypeOptions", &any, 0},
                                               {"physicalType", &text, 0},
                                               {"required", &boolean, 0},
                                               {"unique", &boolean, 0},
                                               {"primaryKey", &boolean, 0},
                                               {"primaryKeyPosition", &integer, 0},
                                               {"partitioned", &boolean, 0},
                                               {"partitionKeyPosition", &integer, 0},
                                               {"classification", &text, 0},
                                               {"encryptedName", &text, 0},
                                               {"transformSourceObjects", &texts, 0},
                                               {"transformLogic", &text, 0},
                                               {"transformDescription", &text, 0},
                                               {"examples", &anything, 0},
                                               {"criticalDataElement", &boolean, 0},
                                               {"items", &any, 0},
                                               {"properties", &columns, 0},
                                               {"relationships", &references, KEY_SINCE_31},
                                               {"quality", &quality, 0},
                                               {"tags", &texts, 0},
                                               {"authoritativeDefinitions", &definitions, 0},
                                               {"customProperties", &custom_of_column, 0},
                                               {"enum", &allowed_list, KEY_SINCE_32},
                                               {"semanticType", &semantic_type, KEY_SINCE_32},
                                               {"synonyms", &anything, KEY_SINCE_32},
                                               {"deprecated", &boolean, KEY_SINCE_32},
                                               {"map", &any, KEY_SINCE_32}};
static const struct shape column = MAPPING("a column", column_keys);
static const struct shape columns = LIST_OF(&column);

/* ---- logicalTypeOptions, by logicalType ---- */

static const char *const integer_formats[] = {"i8", "i16", "i32", "i64", "i128", "u8", "u16", "u32", "u64", "u128"};
static const char *const number_formats[] = {"f32", "f64"};
static const struct shape integer_format = WORDS(integer_formats), number_format = WORDS(number_formats);
static const struct shape_key string_options[] = {
    {"minLength", &integer, 0}, {"maxLength", &integer, 0}, {"pattern", &text, 0}, {"format", &text, 0}};
static const struct shape_key date_options[] = {{"format", &text, 0},
                                                {"minimum", &text, 0},
                                                {"maximum", &text, 0},
                                                {"exclusiveMinimum", &text, 0},
                                                {"exclusiveMaximum", &text, 0}};
static const struct shape_key timestamp_options[] = {{"format", &text, 0},           {"minimum", &text, 0},
                                                     {"maximum", &text, 0},          {"exclusiveMinimum", &text, 0},
                                                     {"exclusiveMaximum", &text, 0}, {"timezone", &boolean, 0},
                                                     {"defaultTimezone", &text, 0}};
static const struct shape_key integer_options[] = {{"format", &integer_format, 0}, {"minimum", &number, 0},
                                                   {"maximum", &number, 0},        {"exclusiveMinimum", &any, 0},
                                                   {"exclusiveMaximum", &any, 0},  {"multipleOf", &number, 0}};
static const struct shape_key number_options[] = {{"format", &number_format, 0}, {"minimum", &number, 0},
                                                  {"maximum", &number, 0},       {"exclusiveMinimum", &any, 0},
                                                  {"exclusiveMaximum", &any, 0}, {"multipleOf", &number, 0}};

const struct shape *shape_options(struct str logical_type) {
    static const struct {
        const char *logical_type;
        struct shape shape;
    } options[] = {{"string", MAPPING("the options of a string", string_options)},
                   {"date", MAPPING("the options of a date", date_options)},
                   {"timestamp", MAPPING("the options of a timestamp", timestamp_options)},
                   {"integer", MAPPING("the options of an integer", integer_options)},
                   {"number", MAPPING("the options of a number", number_options)}};
    for (size_t i = 0; i < SHAPE_COUNT(options); i++)
        if (str_eq(logical_type, str_of(options[i].logical_type))) return &options[i].shape;
    return NULL;
}

/* ---- the table, the file ---- */

static const char *const table_types[] = {"object", "blob"};
static const struct shape table_type = WORDS(table_types);
static const struct shape_key table_keys[] = {{"id", &text, KEY_SINCE_31},
                                              {"name", &text, KEY_REQUIRED},
                                              {"physicalName", &text, 0},
                                              {"physicalType", &text, 0},
                                              {"logicalType", &table_type, 0},
                                              {"businessName", &text, 0},
                                              {"description", &text, 0},
                                              {"dataGranularityDescription", &text, 0},
                                              {"tags", &texts, 0},
                                              {"authoritativeDefinitions", &definitions, 0},
                                              {"customProperties", &custom_of_table, 0},
                                              {"properties", &columns, 0},
                                              {"relationships", &relationships, KEY_SINCE_31},
                                              {"quality", &quality, 0},
                                              {"synonyms", &anything, KEY_SINCE_32},
                                              {"deprecated", &boolean, KEY_SINCE_32},
                                              {"context", &any, KEY_SINCE_32}};
static const struct shape table = MAPPING("a table", table_keys);
static const struct shape tables = LIST_OF(&table);

static const struct shape_key contract_keys[] = {{"apiVersion", &text, KEY_REQUIRED},
                                                 {"kind", &text, KEY_REQUIRED},
                                                 {"id", &text, KEY_REQUIRED},
                                                 {"version", &text, KEY_REQUIRED},
                                                 {"status", &text, KEY_REQUIRED_BEFORE_32},
                                                 {"name", &text, 0},
                                                 {"tenant", &text, 0},
                                                 {"tags", &texts, 0},
                                                 {"servers", &servers, 0},
                                                 {"dataProduct", &text, 0},
                                                 {"description", &description, 0},
                                                 {"domain", &text, 0},
                                                 {"context", &any, KEY_SINCE_32},
                                                 {"schema", &tables, KEY_REQUIRED},
                                                 {"support", &supports, 0},
                                                 {"price", &price, 0},
                                                 {"team", &team, 0},
                                                 {"roles", &roles, 0},
                                                 {"slaDefaultElement", &text, 0},
                                                 {"slaProperties", &slas, 0},
                                                 {"authoritativeDefinitions", &definitions, 0},
                                                 {"customProperties", &custom_of_root, 0},
                                                 {"contractCreatedTs", &text, 0}};
const struct shape shape_contract = MAPPING("a contract", contract_keys);
