/*
 * `assay plan` for people: one section for each thing the engine does with a batch, in the order in which it does it.
 *
 * Says what is asked and what happens then, with the words and ids that runs, quarantine and constraints use, so that
 * any of them can be looked up here. Nothing is cut off.
 */
#include "plan/describe.h"
#include "plan/grid.h"

static void print_title(struct buf *out, const char *title) { buf_printf(out, "\n%s\n", title); }

/* A name and what there is to say, left out when that is nothing. */
static void add_line(struct grid *grid, const char *name, struct str value) {
    if (value.len) grid_add(grid, (struct grid_row){{str_of(name), value}});
}

static void add_noted(struct grid *grid, const char *name, struct str value, struct str note) {
    grid_add(grid, (struct grid_row){{str_of(name), value, note}});
}

static struct str owner_text(const struct plan *plan, struct arena *arena) {
    if (!plan->owner_contact.len) return plan->owner;
    return str_printf(arena, "%.*s <%.*s>", STR_ARG(plan->owner), STR_ARG(plan->owner_contact));
}

static void print_head(const struct plan *plan, struct arena *arena, struct buf *out) {
    buf_printf(out, "%.*s\n", STR_ARG(plan->table));
    struct grid grid = {.arena = arena};
    add_line(&grid, "purpose", plan->purpose);
    add_line(&grid, "grain", plan->granularity);
    add_line(&grid, "owner", owner_text(plan, arena));
    add_line(&grid, "contract",
             str_printf(arena, "%.*s version %.*s", STR_ARG(plan->contract_id), STR_ARG(plan->contract_version)));
    add_line(&grid, "file", plan->contract_path);
    grid_print(&grid, out);
}

/* ---- what is read, and into which tables ---- */

static struct str dialect_text(const struct contract_source *source, struct arena *arena) {
    if (source->format != CONTRACT_CSV) return (struct str){0};
    const char *delimiter = str_eq(source->delimiter, STR("\t")) ? "tab" : str_c(arena, source->delimiter);
    struct str comment = source->comment.len ? str_printf(arena, "  comment %.*s", STR_ARG(source->comment)) : STR("");
    if (source->quote.len == 0) return str_printf(arena, "delimiter %s  no quotes%.*s", delimiter, STR_ARG(comment));
    return str_printf(arena, "delimiter %s  quote %.*s  escape %.*s%.*s", delimiter, STR_ARG(source->quote),
                      STR_ARG(source->escape), STR_ARG(comment));
}

static struct str skipped_text(const struct contract_source *source, struct arena *arena) {
    if (!source->skip_top && !source->skip_bottom) return (struct str){0};
    return str_printf(arena, "%lld lines above the header, %lld below the last row", (long long)source->skip_top,
                      (long long)source->skip_bottom);
}

static struct str nulls_text(const struct contract_source *source, struct arena *arena) {
    if (source->null_marker_count == 0) return (struct str){0};
    struct buf out = {0};
    for (size_t i = 0; i < source->null_marker_count; i++)
        buf_printf(&out, "%s'%.*s'", i ? ", " : "", STR_ARG(source->null_markers[i]));
    struct str text = str_printf(arena, "%s, quoted or not, and empty without quotes", out.data);
    buf_free(&out);
    return text;
}

static struct str numbers_text(const struct contract_source *source, struct arena *arena) {
    struct str decimal = source->decimal_separator, thousands = source->thousands_separator;
    if (!decimal.len && !thousands.len) return (struct str){0};
    if (!decimal.len) decimal = STR(".");
    if (!thousands.len) return str_printf(arena, "decimals after '%.*s'", STR_ARG(decimal));
    return str_printf(arena, "decimals after '%.*s', '%.*s' between thousands", STR_ARG(decimal), STR_ARG(thousands));
}

static struct str header_text(enum contract_header header) {
    switch (header) {
    case CONTRACT_HEADER_STRICT:
        return STR("strict: exactly these columns in this order, whatever the case; else the batch is refused");
    case CONTRACT_HEADER_BY_NAME:
        return STR("byName: columns are found by name; new ones are kept in bronze, absent ones are NULL");
    case CONTRACT_HEADER_NONE:
        return STR("none: the first line is data, columns go by position");
    }
    return (struct str){0};
}

static struct str header_of(const struct contract_source *source) {
    if (source->format == CONTRACT_CSV) return header_text(source->header);
    if (!contract_format_is_typed(source->format)) return (struct str){0};
    bool is_delta = source->format == CONTRACT_DELTA;
    if (source->header == CONTRACT_HEADER_BY_NAME)
        return is_delta ? STR("byName: a column that the table lacks is NULL")
                        : STR("byName: a column that no file has is NULL");
    return is_delta ? STR("strict: a column that the table lacks refuses the batch")
                    : STR("strict: a column that no file has refuses the batch");
}

static struct str records_text(const struct contract_source *source, struct arena *arena) {
    if (source->format == CONTRACT_JSON && !source->is_multi_line) return STR("one object a line (multiLine: false)");
    if (source->format == CONTRACT_JSON)
        return str_printf(arena, "objects, also in arrays and over lines, those up to %lld bytes (multiLine: true)",
                          (long long)source->max_record_bytes);
    if (source->format != CONTRACT_CSV) return (struct str){0};
    if (!source->is_multi_line) return STR("one a line; a line end inside quotes breaks the row (multiLine: false)");
    return str_printf(arena, "may span lines inside quotes, up to %lld bytes (multiLine: true)",
                      (long long)source->max_record_bytes);
}

static struct str source_columns_text(const struct plan *plan, struct arena *arena) {
    struct buf out = {0};
    for (size_t i = 0; i < plan->source_column_count; i++)
        buf_printf(&out, "%s%.*s", i ? ", " : "", STR_ARG(plan->source_columns[i]));
    struct str text = str_copy(arena, buf_str(&out));
    buf_free(&out);
    return text;
}

static void print_read(const struct plan *plan, struct arena *arena, struct buf *out) {
    const struct contract_source *source = &plan->source;
    struct grid grid = {.arena = arena};
    print_title(out, "Read");
    struct str folder = str_printf(arena, "Files/%.*s/batch_id=<id>/", STR_ARG(source->path));
    if (source->format == CONTRACT_DELTA)
        add_line(&grid, "files", str_printf(arena, "%.*s, a Delta table at its newest version", STR_ARG(folder)));
    else
        add_line(&grid, "files",
                 str_printf(arena, "%.*s%.*s%s", STR_ARG(folder), STR_ARG(source->pattern),
                            source->takes_packed ? ", also with .gz or .zst behind" : ""));
    struct str format = describe_format(source->format);
    if (!contract_format_is_typed(source->format))
        format = str_printf(arena, "%.*s in %.*s", STR_ARG(format), STR_ARG(source->encoding));
    add_line(&grid, "format", format);
    add_line(&grid, "dialect", dialect_text(source, arena));
    add_line(&grid, "header", header_of(source));
    add_line(&grid, "records", records_text(source, arena));
    add_line(&grid, "skipped", skipped_text(source, arena));
    add_line(&grid, "null", nulls_text(source, arena));
    add_line(&grid, "numbers", numbers_text(source, arena));
    add_line(&grid, "columns", source_columns_text(plan, arena));
    grid_print(&grid, out);
}

static void print_tables(const struct plan *plan, struct arena *arena, struct buf *out) {
    struct grid grid = {.arena = arena};
    struct str keys = describe_columns(plan, plan->keys, plan->key_count, arena);
    print_title(out, "Write");
    add_noted(&grid, "bronze", plan->bronze_table, STR("every row as it was sent, with its file, line and batch"));
    for (size_t i = 0; i < plan->bronze_property_count; i++) {
        const struct plan_property *property = &plan->bronze_properties[i];
        add_noted(&grid, "", STR(""),
                  str_printf(arena, "%.*s = %.*s", STR_ARG(property->name), STR_ARG(property->value)));
    }
    add_noted(&grid, "quarantine", plan->quarantine_table, STR("every rejected row, with its reasons and raw values"));
    add_noted(&grid, "silver", plan->table, str_printf(arena, "one row per %.*s", STR_ARG(keys)));
    grid_print(&grid, out);
}

/* ---- columns and rules ---- */

static struct str column_notes(const struct plan_column *column, struct arena *arena) {
    struct str format = column->format.len ? str_printf(arena, ", format %.*s", STR_ARG(column->format)) : STR("");
    const char *scale = column->is_rounded ? ", rounds half up" : column->is_scale_strict ? ", never rounds" : "";
    return str_printf(arena, "%s%s%.*s", column->is_required ? "not null" : "nullable", scale, STR_ARG(format));
}

static bool has_descriptions(const struct plan *plan) {
    for (size_t i = 0; i < plan->column_count; i++)
        if (plan->columns[i].description.len) return true;
    return false;
}

static void print_columns(const struct plan *plan, struct arena *arena, struct buf *out) {
    struct grid grid = {.arena = arena};
    struct str description = has_descriptions(plan) ? STR("DESCRIPTION") : STR("");
    struct grid_row title = {{STR("COLUMN"), STR("TYPE"), STR("FROM"), STR("NOTES"), description}};
    print_title(out, "Columns");
    grid_add(&grid, title);
    for (size_t i = 0; i < plan->column_count; i++) {
        const struct plan_column *column = &plan->columns[i];
        struct str type = describe_type(column->type, arena), notes = column_notes(column, arena);
        struct str from = column->clean ? describe_expr(column->clean, arena) : plan->source_columns[column->source];
        grid_add(&grid, (struct grid_row){{column->name, type, from, notes, column->description}});
    }
    grid_print(&grid, out);
}

static void print_rules(const struct plan *plan, struct arena *arena, struct buf *out) {
    struct grid grid = {.arena = arena};
    struct grid_row title = {{STR("REASON"), STR("ID"), STR("SEVERITY"), STR("ON TABLE"), STR("PASSES WHEN")}};
    struct grid_row corrupt = {
        {STR("corrupt record"), STR("corrupt_record"), STR("error"), STR("-"), STR("the row can be read")}};
    print_title(out,
                "Rules (a row that breaks one of severity error goes to quarantine, with the reasons of all it broke)");
    grid_add(&grid, title);
    grid_add(&grid, corrupt);
    for (size_t i = 0; i < plan->rule_count; i++) {
        const struct plan_rule *rule = &plan->rules[i];
        struct str severity = plan_severity_text(rule->severity), on_table = describe_on_table(plan, rule, arena);
        struct str question = describe_question(plan, rule, arena);
        if (!on_table.len) on_table = STR("-");
        grid_add(&grid, (struct grid_row){{rule->reason, rule->id, severity, on_table, question}});
    }
    grid_print(&grid, out);
    buf_addz(out,
             "  A column without a value is asked only whether it is required. Anything but TRUE does not pass.\n");
}

/* ---- grain and merge ---- */

static struct str order_text(const struct plan *plan, struct arena *arena) {
    struct buf out = {0};
    for (size_t i = 0; i < plan->order_count; i++)
        buf_printf(&out, "%s%.*s %s", i ? ", " : "", STR_ARG(plan->order[i].column),
                   plan->order[i].is_ascending ? "asc" : "desc");
    struct str text = str_copy(arena, buf_str(&out));
    buf_free(&out);
    return text;
}

static struct str version_text(const struct plan *plan, struct arena *arena) {
    struct buf out = {0};
    for (size_t i = 0; i < plan->version_count; i++)
        buf_printf(&out, "%s%.*s is %s", i ? ", then " : "", STR_ARG(plan->order[i].column),
                   plan->order[i].is_ascending ? "smaller" : "greater");
    struct str text = str_copy(arena, buf_str(&out));
    buf_free(&out);
    return text;
}

static struct str update_words(const struct plan *plan, struct arena *arena) {
    if (plan->update_when) return STR("a column differs and the contract's updateWhen is TRUE");
    if (!plan->version_count) return STR("a column differs and the row was loaded no earlier");
    struct str version = version_text(plan, arena);
    return str_printf(arena, "a column differs and %.*s, or equal and loaded no earlier (NULL is the lowest)",
                      STR_ARG(version));
}

static void print_merge(const struct plan *plan, struct arena *arena, struct buf *out) {
    struct grid grain = {.arena = arena}, merge = {.arena = arena};
    print_title(out, "Grain (one row per key goes on, the others are superseded)");
    add_line(&grain, "key", describe_columns(plan, plan->keys, plan->key_count, arena));
    add_line(&grain, "newest by", order_text(plan, arena));
    add_line(&grain, "", STR("NULL comes last in either direction"));
    grid_print(&grain, out);
    print_title(out, "Merge (a batch that changes nothing makes no commit)");
    add_line(&merge, "insert", STR("the key is not in the table"));
    add_line(&merge, "update", update_words(plan, arena));
    add_line(&merge, "sql", plan_update_text(plan, arena));
    grid_print(&merge, out);
}

/* ---- gates, constraints, what is not checked ---- */

static struct str line_text(struct contract_place place, struct arena *arena) {
    return place.line ? str_printf(arena, "line %u", place.line) : STR("default");
}

static void add_row_gate(struct grid *grid, const char *gate, const char *than, int64_t rows,
                         struct contract_place place) {
    struct arena *arena = grid->arena;
    if (rows < 0) return;
    struct str text = str_printf(arena, "%s than %lld row%s landed", than, (long long)rows, rows == 1 ? "" : "s");
    add_noted(grid, gate, text, line_text(place, arena));
}

static struct str check_text(const struct plan_check *check, struct arena *arena) {
    return str_printf(arena, "%.*s: %.*s: not %.*s", STR_ARG(check->id), STR_ARG(check->what), STR_ARG(check->limit));
}

static struct str header_gate_text(enum contract_header header) {
    switch (header) {
    case CONTRACT_HEADER_STRICT:
        return STR("a file has another header; nothing is loaded, quarantine stays as it is");
    case CONTRACT_HEADER_BY_NAME:
        return STR(
            "a file's header has a name twice, or no name of these; nothing is loaded, quarantine stays as it is");
    case CONTRACT_HEADER_NONE:
        return STR("a file's first record has another number of fields; nothing is loaded, quarantine stays as it is");
    }
    return (struct str){0};
}

static void print_gates(const struct plan *plan, struct arena *arena, struct buf *out) {
    struct grid grid = {.arena = arena};
    struct str limit = plan_limit_text(plan, arena), required = describe_required(plan, arena);
    print_title(out, "Stops the batch (before silver is touched; its rejected rows are in quarantine by then)");
    if (plan->source.format == CONTRACT_CSV) add_line(&grid, "header", header_gate_text(plan->source.header));
    add_line(&grid, "missing_column", STR("bronze lacks a column that the contract reads; quarantine stays as it is"));
    add_line(&grid, "empty_batch", STR("no row landed"));
    if (required.len)
        add_line(&grid, "required_all_null", str_printf(arena, "no row has a value in one of %.*s", STR_ARG(required)));
    add_noted(&grid, "reject_ratio",
              str_printf(arena, "more than %.*s %% of the landed rows are rejected", STR_ARG(limit)),
              line_text(plan->limit_place, arena));
    add_row_gate(&grid, "min_rows", "fewer", plan->min_rows, plan->min_rows_place);
    add_row_gate(&grid, "max_rows", "more", plan->max_rows, plan->max_rows_place);
    for (size_t i = 0; i < plan->check_count; i++)
        if (plan->checks[i].severity == CONTRACT_ERROR)
            add_noted(&grid, plan_check_gate(&plan->checks[i]), check_text(&plan->checks[i], arena),
                      line_text(plan->checks[i].place, arena));
    grid_print(&grid, out);
}

/* Checks that let the batch through. */
static void print_noted_checks(const struct plan *plan, struct arena *arena, struct buf *out) {
    struct grid grid = {.arena = arena};
    for (size_t i = 0; i < plan->check_count; i++)
        if (plan->checks[i].severity != CONTRACT_ERROR)
            add_noted(&grid, str_c(arena, plan_severity_text(plan->checks[i].severity)),
                      check_text(&plan->checks[i], arena), line_text(plan->checks[i].place, arena));
    if (!grid.count) return;
    print_title(out, "Told of the batch (it goes on)");
    grid_print(&grid, out);
}

static void print_constraints(const struct plan *plan, struct arena *arena, struct buf *out) {
    struct grid grid = {.arena = arena};
    print_title(out, "Constraints on silver (whoever writes to it)");
    add_line(&grid, "NOT NULL", describe_required(plan, arena));
    for (size_t i = 0; i < plan->constraint_count; i++)
        grid_add(&grid, (struct grid_row){{plan->constraints[i].name, plan->constraints[i].text}});
    grid_print(&grid, out);
    if (!grid.count) buf_addz(out, "  none\n");
}

static void print_unchecked(const struct plan *plan, struct buf *out) {
    print_title(out, "Declared, not checked");
    for (size_t i = 0; i < plan->unchecked_count; i++) buf_printf(out, "  %.*s\n", STR_ARG(plan->unchecked[i]));
    if (!plan->unchecked_count) buf_addz(out, "  nothing\n");
}

void plan_print(const struct plan *plan, struct buf *out) {
    struct arena arena = {0};
    print_head(plan, &arena, out);
    print_read(plan, &arena, out);
    print_tables(plan, &arena, out);
    print_columns(plan, &arena, out);
    print_rules(plan, &arena, out);
    print_merge(plan, &arena, out);
    print_gates(plan, &arena, out);
    print_noted_checks(plan, &arena, out);
    print_constraints(plan, &arena, out);
    print_unchecked(plan, out);
    arena_reset(&arena);
}
