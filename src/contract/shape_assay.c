/*
 * assay's own properties, by the place where each may stand, as tables. What the standard has no home for, and nothing
 * else.
 */
#include "contract/shape.h"

#define MAPPING(noun_, keys_)                                                                                          \
    { .kind = SHAPE_MAPPING, .noun = noun_, .keys = keys_, .count = SHAPE_COUNT(keys_) }
#define LIST_OF(item_)                                                                                                 \
    { .kind = SHAPE_LIST, .item = item_ }
#define WORDS(words_)                                                                                                  \
    { .kind = SHAPE_WORD, .words = words_, .count = SHAPE_COUNT(words_) }
#define CUSTOM(noun_, keys_)                                                                                           \
    { .kind = SHAPE_CUSTOM, .noun = noun_, .keys = keys_, .count = SHAPE_COUNT(keys_) }

static const struct shape text = {.kind = SHAPE_TEXT}, boolean = {.kind = SHAPE_BOOL}, integer = {.kind = SHAPE_INT},
                          number = {.kind = SHAPE_NUMBER};
static const struct shape texts = LIST_OF(&text);

/* ---- the table's ---- */

static const char *const formats[] = {"csv", "json", "parquet", "delta"};
static const char *const headers[] = {"strict", "byName", "none"};
static const struct shape format = WORDS(formats), header = WORDS(headers);
static const struct shape_key source_keys[] = {{"path", &text, KEY_REQUIRED},
                                               {"pattern", &text, 0},
                                               {"format", &format, 0},
                                               {"header", &header, 0},
                                               {"delimiter", &text, 0},
                                               {"quote", &text, 0},
                                               {"escape", &text, 0},
                                               {"multiLine", &boolean, 0},
                                               {"maxRecordBytes", &integer, 0},
                                               {"encoding", &text, 0},
                                               {"comment", &text, 0},
                                               {"skipTop", &integer, 0},
                                               {"skipBottom", &integer, 0},
                                               {"nullMarkers", &texts, 0},
                                               {"decimalSeparator", &text, 0},
                                               {"thousandsSeparator", &text, 0}};
static const struct shape source = MAPPING("'source'", source_keys);

static const struct shape table_properties = {.kind = SHAPE_MAPPING, .noun = "'properties'", .is_open = true};
static const struct shape_key bronze_keys[] = {{"table", &text, 0}, {"properties", &table_properties, 0}};
static const struct shape bronze = MAPPING("'bronze'", bronze_keys);

static const struct shape_key quarantine_keys[] = {{"table", &text, 0}, {"keepRawValues", &boolean, 0}};
static const struct shape quarantine = MAPPING("'quarantine'", quarantine_keys);

static const char *const directions[] = {"asc", "desc"};
static const struct shape direction = WORDS(directions);
static const struct shape_key order_keys[] = {{"column", &text, KEY_REQUIRED}, {"direction", &direction, 0}};
static const struct shape order = MAPPING("an item of 'latestBy'", order_keys);
static const struct shape orders = LIST_OF(&order);
static const struct shape_key grain_keys[] = {{"keys", &texts, 0}, {"latestBy", &orders, 0}};
static const struct shape grain = MAPPING("'grain'", grain_keys);

static const char *const strategies[] = {"upsert"};
static const struct shape strategy = WORDS(strategies);
static const struct shape_key merge_keys[] = {{"strategy", &strategy, 0}, {"updateWhen", &text, 0}};
static const struct shape merge = MAPPING("'merge'", merge_keys);

static const struct shape_key volume_keys[] = {
    {"lastBatches", &integer, KEY_REQUIRED}, {"minPercent", &number, 0}, {"maxPercent", &number, 0}};
static const struct shape volume = MAPPING("'volume'", volume_keys);
static const struct shape_key batch_keys[] = {
    {"maxRejectPercent", &number, 0}, {"minRows", &integer, 0}, {"maxRows", &integer, 0}, {"volume", &volume, 0}};
static const struct shape batch = MAPPING("'batch'", batch_keys);

static const struct shape_key table_keys[] = {{"source", &source, 0},         {"bronze", &bronze, 0},
                                              {"quarantine", &quarantine, 0}, {"grain", &grain, 0},
                                              {"merge", &merge, 0},           {"batch", &batch, 0}};
const struct shape custom_of_table = CUSTOM("a table", table_keys);

/* ---- a column's, a rule's, a relationship's, a service level's, the contract's ---- */

static const char *const scales[] = {"strict", "round"};
static const struct shape scale = WORDS(scales);
static const struct shape_key column_keys[] = {{"scale", &scale, 0}};
const struct shape custom_of_column = CUSTOM("a column", column_keys);

static const struct shape_key quality_keys[] = {{"constraint", &boolean, 0}, {"maxRejectPercent", &number, 0}};
const struct shape custom_of_quality = CUSTOM("a quality rule", quality_keys);

static const struct shape_key reference_keys[] = {
    {"table", &text, KEY_REQUIRED}, {"column", &text, KEY_REQUIRED}, {"activeWhen", &text, 0}};
static const struct shape reference = MAPPING("'reference'", reference_keys);
static const struct shape_key relationship_keys[] = {{"reference", &reference, 0}};
const struct shape custom_of_relationship = CUSTOM("a relationship of a column", relationship_keys);

static const char *const breaches[] = {"stopBatch"};
static const struct shape breach = WORDS(breaches);
static const struct shape_key sla_keys[] = {{"onBreach", &breach, 0}};
const struct shape custom_of_sla = CUSTOM("an item of 'slaProperties'", sla_keys);

static const struct shape_key consumer_keys[] = {{"name", &text, KEY_REQUIRED},
                                                 {"team", &text, 0},
                                                 {"contact", &text, 0},
                                                 {"criticality", &text, 0},
                                                 {"description", &text, 0}};
static const struct shape consumer = MAPPING("a consumer", consumer_keys);
static const struct shape consumers = LIST_OF(&consumer);
static const struct shape_key root_keys[] = {{"consumers", &consumers, 0}};
const struct shape custom_of_root = CUSTOM("the contract", root_keys);

const struct shape custom_of_elsewhere = {.kind = SHAPE_CUSTOM, .noun = "this place", .keys = NULL, .count = 0};
