/** The command line, by the tables. Options may stand anywhere after the command's name; `--` ends them; `--name=value`
 * and `--name value` are one, `-o` is --output. */
#include "cli/commands.h"

#include <assert.h>
#include <string.h>

static bool is_command(const struct cli_command *c, int argc, char **argv, int *words) {
    struct str second = str_split(str_of(c->name), ' ', &(struct str){0});
    struct str first;
    str_split(str_of(c->name), ' ', &first);
    *words = second.len ? 2 : 1;
    return argc > *words && str_eq(first, str_of(argv[1])) && (second.len == 0 || str_eq(second, str_of(argv[2])));
}

static const struct cli_command *find_command(int argc, char **argv, int *words) {
    for (size_t i = 0; cli_commands[i]; i++)
        if (is_command(cli_commands[i], argc, argv, words)) return cli_commands[i];
    return NULL;
}

static enum assay_code unknown_command(struct cli *cli, int argc, char **argv, struct assay_error *err) {
    struct str names[64];
    size_t count = 0;
    struct str given = str_of(argv[1]);
    struct str both = argc > 2 ? str_printf(&cli->arena, "%s %s", argv[1], argv[2]) : given;
    for (size_t i = 0; cli_commands[i] && count < 64; i++) {
        names[count++] = str_of(cli_commands[i]->name);
        if (str_starts(names[count - 1], str_printf(&cli->arena, "%s ", argv[1])))
            return error_set(err, ASSAY_INVALID, argv[1], "needs a second word: assay %s\nnext: assay help %s",
                             cli_commands[i]->name, cli_commands[i]->name);
    }
    struct str near = str_nearest(given, names, count);
    if (near.len == 0) near = str_nearest(both, names, count);
    if (near.len)
        return error_set(err, ASSAY_INVALID, NULL, "no command `%s`; did you mean `%.*s`?\nnext: assay help", argv[1],
                         STR_ARG(near));
    return error_set(err, ASSAY_INVALID, NULL, "no command `%s`\nnext: assay help", argv[1]);
}

static enum assay_code unknown_option(const struct cli *cli, struct str given, struct assay_error *err) {
    struct str names[CLI_OPTIONS_MAX];
    size_t count = 0;
    for (const struct cli_option *o = cli->command->options; o && o->name; o++) names[count++] = str_of(o->name);
    struct str near = str_nearest(given, names, count);
    return error_set(err, ASSAY_INVALID, NULL, "assay %s has no option --%.*s%s%.*s%s\nnext: assay help %s",
                     cli->command->name, STR_ARG(given), near.len ? "; did you mean --" : "", STR_ARG(near),
                     near.len ? "?" : "", cli->command->name);
}

/** Take the option at argv[*at]. */
static enum assay_code take_option(struct cli *cli, int argc, char **argv, int *at, struct assay_error *err) {
    struct str name, value = str_split(str_of(argv[*at] + 2), '=', &name);
    bool has_value = strchr(argv[*at], '=') != NULL;
    for (size_t i = 0; cli->command->options && cli->command->options[i].name; i++) {
        const struct cli_option *o = &cli->command->options[i];
        if (!str_eq(str_of(o->name), name)) continue;
        if (cli->values[i]) return error_set(err, ASSAY_INVALID, NULL, "--%s is given twice", o->name);
        if (!o->argument && has_value) return error_set(err, ASSAY_INVALID, NULL, "--%s takes no value", o->name);
        if (!o->argument)
            cli->values[i] = "";
        else if (has_value)
            cli->values[i] = str_c(&cli->arena, value);
        else if (*at + 1 < argc)
            cli->values[i] = argv[++*at];
        else
            return error_set(err, ASSAY_INVALID, NULL, "--%s needs a value: --%s %s", o->name, o->name, o->argument);
        return ASSAY_OK;
    }
    return unknown_option(cli, name, err);
}

/** `-o FILE`, the one short option: --output. */
static enum assay_code take_output(struct cli *cli, int argc, char **argv, int *at, struct assay_error *err) {
    char name[] = "--output", *given[] = {name, *at + 1 < argc ? argv[*at + 1] : NULL, NULL};
    int index = 0;
    TRY(take_option(cli, given[1] ? 2 : 1, given, &index, err));
    *at += index;
    return ASSAY_OK;
}

static enum assay_code check_count(const struct cli *cli, struct assay_error *err) {
    const struct cli_command *c = cli->command;
    if (cli->arg_count >= c->args_min && cli->arg_count <= c->args_max) return ASSAY_OK;
    return error_set(err, ASSAY_INVALID, NULL, "%s: assay %s %s\nnext: assay help %s",
                     cli->arg_count < c->args_min ? "an argument is missing" : "too many arguments", c->name,
                     c->arguments, c->name);
}

/** `assay run --help` is `assay help run`. */
static enum assay_code ask_for_help(struct cli *out) {
    out->args = ARENA_NEW(&out->arena, struct str);
    out->args[0] = str_of(out->command->name);
    out->arg_count = 1;
    out->command = &cmd_help;
    return ASSAY_OK;
}

enum assay_code cli_parse(int argc, char **argv, struct cli *out, struct assay_error *err) {
    int words = 0;
    size_t capacity = 0;
    bool is_ended = false;
    out->command = find_command(argc, argv, &words);
    if (!out->command) return unknown_command(out, argc, argv, err);
    for (int i = 1 + words; i < argc; i++) {
        if (!is_ended && strcmp(argv[i], "--") == 0)
            is_ended = true;
        else if (!is_ended && (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0))
            return ask_for_help(out);
        else if (!is_ended && strcmp(argv[i], "-o") == 0)
            TRY(take_output(out, argc, argv, &i, err));
        else if (!is_ended && strncmp(argv[i], "--", 2) == 0)
            TRY(take_option(out, argc, argv, &i, err));
        else
            LIST_PUSH(&out->arena, out->args, out->arg_count, capacity) = str_of(argv[i]);
    }
    return check_count(out, err);
}

const char *cli_value(const struct cli *cli, const char *name) {
    for (size_t i = 0; cli->command->options && cli->command->options[i].name; i++)
        if (strcmp(cli->command->options[i].name, name) == 0) return cli->values[i];
    assert(0 && "an option that the command's table does not have");
    return NULL;
}

bool cli_has(const struct cli *cli, const char *name) { return cli_value(cli, name) != NULL; }

struct str cli_arg(const struct cli *cli, size_t index) {
    return index < cli->arg_count ? cli->args[index] : (struct str){0};
}
