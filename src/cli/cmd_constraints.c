/** constraints: the rules that stand on a table, beside those of its contract. */
#include "cli/commands.h"
#include "cli/print_table.h"

#include "base/json.h"
#include "expr/expr.h"

/* ---- show: what is on which side ---- */

enum state { BOTH, DIFFERENT, ONLY_TABLE, ONLY_CONTRACT };

static const char *const STATES[] = {"both", "different", "only the table", "only the contract"};

struct rule {
    enum state state;
    bool is_not_null;
    struct str name;            /* of the constraint, or the column */
    struct str table, contract; /* texts */
    struct str unreadable;      /* why assay cannot ask it */
};

struct comparison {
    struct str table; /* as users say it */
    const struct delta_snapshot *snapshot;
    const struct plan *plan; /* NULL: no contract */
    struct arena *arena;
    struct rule *rules;
    size_t count, capacity;
    struct str note; /* why there is no contract to compare with */
};

static void add(struct comparison *c, struct rule rule) { LIST_PUSH(c->arena, c->rules, c->count, c->capacity) = rule; }

static const struct plan_constraint *find_planned(const struct plan *plan, struct str name) {
    for (size_t i = 0; plan && i < plan->constraint_count; i++)
        if (str_eq_nocase(plan->constraints[i].name, name)) return &plan->constraints[i];
    return NULL;
}

/* Texts of one meaning may be spelled differently: trees are compared. */
static bool is_same(struct str text, const struct plan_constraint *planned, struct arena *arena) {
    struct expr *e;
    return str_eq(text, planned->text) ||
           (expr_parse(text, arena, &e, NULL) == ASSAY_OK && expr_eq(e, planned->predicate));
}

static struct str why_unreadable(const struct comparison *c, struct str text) {
    const struct delta_schema *schema = &c->snapshot->metadata.schema;
    struct expr_column *columns = ARENA_ARRAY(c->arena, schema->count, struct expr_column);
    struct assay_error why = {0};
    struct expr *e;
    size_t count = 0;
    for (size_t i = 0; i < schema->count; i++)
        if (schema->fields[i].type.kind != TYPE_NONE)
            columns[count++] = (struct expr_column){schema->fields[i].name, schema->fields[i].type};
    enum assay_code rc = expr_parse(text, c->arena, &e, &why);
    if (rc == ASSAY_OK) rc = expr_check_predicate(e, columns, count, c->arena, &why);
    return rc ? str_copy(c->arena, str_of(why.message)) : (struct str){0};
}

static void compare_checks(struct comparison *c) {
    const struct delta_metadata *m = &c->snapshot->metadata;
    struct str name, text;
    for (size_t index = 0; delta_constraint_next(m, &index, &name, &text);) {
        const struct plan_constraint *planned = find_planned(c->plan, name);
        struct rule rule = {.name = name, .table = text, .state = ONLY_TABLE, .unreadable = why_unreadable(c, text)};
        if (planned) {
            rule.contract = planned->text;
            rule.state = is_same(text, planned, c->arena) ? BOTH : DIFFERENT;
        }
        add(c, rule);
    }
    for (size_t i = 0; c->plan && i < c->plan->constraint_count; i++) {
        const struct plan_constraint *planned = &c->plan->constraints[i];
        bool is_there = false;
        for (size_t index = 0; delta_constraint_next(m, &index, &name, &text);)
            is_there |= str_eq_nocase(name, planned->name);
        if (!is_there) add(c, (struct rule){.name = planned->name, .contract = planned->text, .state = ONLY_CONTRACT});
    }
}

static void compare_not_null(struct comparison *c) {
    const struct delta_schema *schema = &c->snapshot->metadata.schema;
    for (size_t i = 0; i < schema->count; i++) {
        const struct delta_field *field = &schema->fields[i];
        bool is_wanted = false, is_there = !field->is_nullable;
        for (size_t k = 0; c->plan && k < c->plan->column_count; k++)
            is_wanted |= c->plan->columns[k].is_required && str_eq_nocase(c->plan->columns[k].name, field->name);
        if (!is_wanted && !is_there) continue;
        enum state state = is_wanted && is_there ? BOTH : is_there ? ONLY_TABLE : ONLY_CONTRACT;
        struct str text = STR("NOT NULL"), none = {0};
        add(c, (struct rule){.state = state,
                             .is_not_null = true,
                             .name = field->name,
                             .table = is_there ? text : none,
                             .contract = is_wanted ? text : none});
    }
}

static void print_next(const struct comparison *c, const struct rule *rule, struct buf *out) {
    if (rule->unreadable.len) {
        buf_printf(out, "%.*s: assay cannot ask this rule and so does not write to the table: ", STR_ARG(rule->name));
        buf_add_printable(out, rule->unreadable);
        buf_printf(out, "\n  to take it off: assay constraints drop %.*s %.*s\n", STR_ARG(c->table),
                   STR_ARG(rule->name));
    } else if (c->plan && rule->state == ONLY_TABLE && !rule->is_not_null) {
        buf_printf(out,
                   "%.*s: not in the contract, and stays on the table until it is dropped: assay constraints drop "
                   "%.*s %.*s\n",
                   STR_ARG(rule->name), STR_ARG(c->table), STR_ARG(rule->name));
    } else if (rule->state == ONLY_CONTRACT && !rule->is_not_null) {
        buf_printf(out, "%.*s: the next run puts it on the table, once all rows keep it\n", STR_ARG(rule->name));
    } else if (rule->state == DIFFERENT) {
        buf_printf(out,
                   "%.*s: the next run puts the contract's text in the place of the table's, once all rows keep it\n",
                   STR_ARG(rule->name));
    } else if (rule->state == ONLY_CONTRACT) {
        buf_printf(out, "%.*s: runs reject rows without it, but the table takes them from other writers\n",
                   STR_ARG(rule->name));
    }
}

static void print_rules(const struct comparison *c, struct buf *out) {
    static const char *const HEAD[] = {"constraint", "where", "on the table", "in the contract"};
    size_t columns = c->plan ? 4 : 3;
    struct engine_result rows = {.column_count = columns, .row_count = c->count};
    rows.columns = ARENA_ARRAY(c->arena, columns, struct str);
    rows.cells = ARENA_ARRAY(c->arena, columns * c->count, struct engine_cell);
    for (size_t i = 0; i < columns; i++) rows.columns[i] = str_of(HEAD[i]);
    for (size_t i = 0; i < c->count; i++) {
        const struct rule *rule = &c->rules[i];
        struct str same = rule->state == BOTH ? STR("the same") : rule->contract;
        struct str cells[] = {rule->name, str_of(STATES[rule->state]), rule->table, same};
        for (size_t k = 0; k < columns; k++) rows.cells[i * columns + k].text = cells[k];
    }
    if (c->count) print_table(out, &rows, NULL);
    if (c->count == 0) buf_addz(out, "no constraint\n");
    if (c->note.len) buf_printf(out, "%.*s\n", STR_ARG(c->note));
    for (size_t i = 0; i < c->count; i++) print_next(c, &c->rules[i], out);
}

static void put_text(struct json_writer *w, const char *key, struct str text) {
    json_key(w, key);
    if (text.len)
        json_put_str(w, text);
    else
        json_put_null(w);
}

static void print_json(const struct comparison *c, struct buf *out) {
    static const char *const WORDS[] = {"both", "different", "table", "contract"};
    struct json_writer w = {.out = out};
    json_begin_object(&w);
    json_key(&w, "table"), json_put_str(&w, c->table);
    json_key(&w, "version"), json_put_int(&w, c->snapshot->version);
    put_text(&w, "contract", c->plan ? c->plan->contract_path : (struct str){0});
    json_key(&w, "constraints");
    json_begin_array(&w);
    for (size_t i = 0; i < c->count; i++) {
        const struct rule *rule = &c->rules[i];
        json_begin_object(&w);
        json_key(&w, "name"), json_put_str(&w, rule->name);
        json_key(&w, "kind"), json_put_str(&w, rule->is_not_null ? STR("notNull") : STR("check"));
        json_key(&w, "where"), json_put_str(&w, str_of(WORDS[rule->state]));
        put_text(&w, "table", rule->table);
        put_text(&w, "contract", rule->contract);
        put_text(&w, "unreadable", rule->unreadable);
        json_end_object(&w);
    }
    json_end_array(&w);
    json_end_object(&w);
    buf_addc(out, '\n');
}

/* `schema.table` of a folder `Tables/schema/table`. */
static struct str table_name(struct str root, struct arena *arena) {
    struct str schema, rest = str_split(root, '/', &schema);
    rest = str_split(rest, '/', &schema);
    return str_printf(arena, "%.*s.%.*s", STR_ARG(schema), STR_ARG(rest));
}

/* The contract of the table, if the project has one that can be read. */
static void find_plan(const struct project *project, struct comparison *c) {
    struct plan **plans;
    size_t count;
    struct assay_error why = {0};
    if (project->error_count) {
        c->note = STR("the contracts have mistakes (assay lint), so the table is not compared with its contract");
        return;
    }
    enum assay_code rc = project_plans(project, c->table, c->arena, &plans, &count, &why);
    if (rc == ASSAY_OK && count)
        c->plan = plans[0];
    else
        c->note = STR("no contract of the project is this table's");
}

static enum assay_code show(struct cli *cli, struct project *project, struct session *session, struct str root,
                            bool is_json, struct assay_error *err) {
    struct delta_snapshot *snapshot;
    struct comparison c = {.arena = &cli->arena, .table = table_name(root, &cli->arena)};
    TRY(delta_snapshot_load(session->store, session->engine, root, DELTA_LATEST, &cli->arena, &snapshot, err));
    c.snapshot = snapshot;
    find_plan(project, &c);
    compare_not_null(&c);
    compare_checks(&c);
    struct buf text = {0};
    if (is_json)
        print_json(&c, &text);
    else
        print_rules(&c, &text);
    cli_out(&text);
    buf_free(&text);
    return ASSAY_OK;
}

static enum assay_code run_show(struct cli *cli, struct assay_error *err) {
    struct project project;
    struct session session;
    struct str root;
    bool is_json;
    TRY(cli_wants_json(cli, &is_json, err));
    TRY(cli_open_lake(cli, true, &project, &session, &root, err));
    enum assay_code rc = show(cli, &project, &session, root, is_json, err);
    session_close(&session);
    return rc;
}

/* ---- add, drop ---- */

static void tell_breaking(const struct delta_breaking *breaking) {
    struct buf text = {0};
    print_table(&text, &breaking->rows, NULL);
    if (breaking->count > (int64_t)breaking->rows.row_count)
        buf_printf(&text, "the first %zu of %lld rows\n", breaking->rows.row_count, (long long)breaking->count);
    cli_out(&text);
    buf_free(&text);
}

static void tell_version(struct cli *cli, const char *what, int64_t version) {
    struct buf text = {0};
    buf_printf(&text, "%.*s %s %.*s, version %lld\n", STR_ARG(cli_arg(cli, 1)), what, STR_ARG(cli_arg(cli, 0)),
               (long long)version);
    cli_out(&text);
    buf_free(&text);
}

static enum assay_code run_add(struct cli *cli, struct assay_error *err) {
    struct project project;
    struct session session;
    struct str root;
    struct delta_breaking breaking;
    int64_t version = -1;
    TRY(cli_open_lake(cli, false, &project, &session, &root, err));
    cli_catch_signals(&session);
    enum assay_code rc = delta_constraint_add(session.store, session.engine, root, cli_arg(cli, 1), cli_arg(cli, 2),
                                              &cli->arena, &breaking, &version, err);
    cli_catch_signals(NULL);
    if (rc == ASSAY_REFUSED && breaking.count) tell_breaking(&breaking);
    if (rc == ASSAY_OK) tell_version(cli, "stands on", version);
    session_close(&session);
    return cli_signal_code(rc);
}

static enum assay_code run_drop(struct cli *cli, struct assay_error *err) {
    struct project project;
    struct session session;
    struct str root;
    int64_t version = -1;
    TRY(cli_open_lake(cli, false, &project, &session, &root, err));
    enum assay_code rc =
        delta_constraint_drop(session.store, session.engine, root, cli_arg(cli, 1), &cli->arena, &version, err);
    if (rc == ASSAY_OK) tell_version(cli, "is no longer on", version);
    session_close(&session);
    return rc;
}

static const struct cli_option show_options[] = {
    {"json", NULL, "one JSON object"},
    {"format", "FORM", "text (default) or json, which is --json"},
    CLI_SESSION_OPTIONS,
    {0},
};
static const struct cli_option change_options[] = {
    CLI_SESSION_OPTIONS,
    {0},
};

const struct cli_command cmd_constraints_show = {
    .name = "constraints show",
    .arguments = "TABLE",
    .summary = "the rules on a table beside those of its contract",
    .text = "Every NOT NULL and CHECK of the table and of the project's contract for it: on both sides, with\n"
            "another text, or on one side only, and what to do about it. A rule that left the contract stays on\n"
            "the table until it is dropped.\n",
    .options = show_options,
    .args_min = 1,
    .args_max = 1,
    .run = run_show,
};

const struct cli_command cmd_constraints_add = {
    .name = "constraints add",
    .arguments = "TABLE NAME RULE",
    .summary = "put a CHECK on a table, for every writer",
    .text = "RULE is a piece of Spark SQL over one row, as in a contract: assay constraints add silver.orders\n"
            "amount_positive 'amount > 0'. All rows of the table are checked first; if some break it (NULL does\n"
            "too), they are shown and nothing is added (exit 1). The rules of a contract are put on its table by\n"
            "assay run.\n",
    .options = change_options,
    .args_min = 3,
    .args_max = 3,
    .run = run_add,
};

const struct cli_command cmd_constraints_drop = {
    .name = "constraints drop",
    .arguments = "TABLE NAME",
    .summary = "take a CHECK off a table",
    .text = "One commit; no row changes. A rule that is in the table's contract comes back with the next run.\n",
    .options = change_options,
    .args_min = 2,
    .args_max = 2,
    .run = run_drop,
};
