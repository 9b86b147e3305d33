/** Completion scripts, made from the tables of commands and options. */
#include "cli/commands.h"

static void print_words(const struct cli_command *c, struct buf *out) {
    for (const struct cli_option *o = c->options; o && o->name; o++) buf_printf(out, " --%s", o->name);
}

static void print_bash(struct buf *out) {
    buf_addz(out, "_assay() {\n    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words=\n"
                  "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words=\"");
    struct str last = {0};
    for (size_t i = 0; cli_commands[i]; i++) {
        struct str first;
        str_split(str_of(cli_commands[i]->name), ' ', &first);
        if (!str_eq(first, last)) buf_printf(out, "%s%.*s", i ? " " : "", STR_ARG(first));
        last = first;
    }
    buf_addz(out, "\"\n    else\n        case $command in\n");
    for (size_t i = 0; cli_commands[i]; i++) {
        struct str first, second = str_split(str_of(cli_commands[i]->name), ' ', &first);
        buf_printf(out, "        %.*s) words=\"%.*s", STR_ARG(first), STR_ARG(second));
        print_words(cli_commands[i], out);
        buf_addz(out, "\" ;;\n");
    }
    buf_addz(out, "        esac\n    fi\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\ncomplete -o default "
                  "-F _assay assay\n");
}

static void print_zsh(struct buf *out) {
    buf_addz(out, "#compdef assay\nautoload -U +X bashcompinit && bashcompinit\n");
    print_bash(out);
}

static void print_fish(struct buf *out) {
    buf_addz(out, "complete -c assay -f -n __fish_use_subcommand\n");
    for (size_t i = 0; cli_commands[i]; i++) {
        struct str first;
        str_split(str_of(cli_commands[i]->name), ' ', &first);
        buf_printf(out, "complete -c assay -n __fish_use_subcommand -a %.*s -d '%s'\n", STR_ARG(first),
                   cli_commands[i]->summary);
        for (const struct cli_option *o = cli_commands[i]->options; o && o->name; o++)
            buf_printf(out, "complete -c assay -n '__fish_seen_subcommand_from %.*s' -l %s%s -d '%s'\n", STR_ARG(first),
                       o->name, o->argument ? " -r" : "", o->help);
    }
}

static enum assay_code run(struct cli *cli, struct assay_error *err) {
    static const struct {
        const char *name;
        void (*print)(struct buf *);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (!str_eq(cli_arg(cli, 0), str_of(shells[i].name))) continue;
        struct buf text = {0};
        shells[i].print(&text);
        cli_out(&text);
        buf_free(&text);
        return ASSAY_OK;
    }
    return error_set(err, ASSAY_INVALID, NULL, "no completion for `%.*s`; there is bash, zsh and fish",
                     STR_ARG(cli_arg(cli, 0)));
}

const struct cli_command cmd_completion = {
    .name = "completion",
    .arguments = "bash|zsh|fish",
    .summary = "a completion script for your shell",
    .text = "Prints the script; for bash: source <(assay completion bash)\n",
    .args_min = 1,
    .args_max = 1,
    .run = run,
};
