/** The form of what a command prints: for people, or JSON. */
#include "cli/cli.h"

enum assay_code cli_wants_json(const struct cli *cli, bool *out, struct assay_error *err) {
    static const char *const words[] = {"text", "json"};
    size_t format;
    TRY(cli_format(cli, words, 2, &format, err));
    *out = format == 1 || cli_has(cli, "json");
    return ASSAY_OK;
}
