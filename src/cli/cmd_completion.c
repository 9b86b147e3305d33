/** Completion scripts, made from the tables of commands and options. */
#include "cli/commands.h"

/** What may follow the first word of a command: the second words and options of all commands that begin with it, each
 * once. */
static void print_words(struct str first, struct buf *out) {
    struct buf words = {0};
    for (size_t i = 0; cli_commands[i]; i++) {
        struct str head, second = str_split(str_of(cli_commands[i]->name), ' ', &head);
        if (!str_eq(head, first)) continue;
        if (second.len) buf_printf(&words, " %.*s ", STR_ARG(second));
        for (const struct cli_option *o = cli_commands[i]->options; o && o->name; o++) {
            struct buf option = {0};
            buf_printf(&option, " --%s ", o->name);
            if (str_find(buf_str(&words), buf_str(&option)) == SIZE_MAX) buf_add(&words, buf_str(&option));
            buf_free(&option);
        }
    }
    buf_add(out, buf_str(&words));
    buf_free(&words);
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
    last = (struct str){0};
    for (size_t i = 0; cli_commands[i]; i++) {
        struct str first;
        str_split(str_of(cli_commands[i]->name), ' ', &first);
        if (!str_eq(first, last)) {
            buf_printf(out, "        %.*s) words=\"", STR_ARG(first));
            print_words(first, out);
            buf_addz(out, "\" ;;\n");
        }
        last = first;
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
