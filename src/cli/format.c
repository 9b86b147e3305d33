/** The form of what a command prints: for people, or JSON. */
#include "cli/cli.h"

enum assay_code cli_wants_json(const struct cli *cli, bool *out, struct assay_error *err) {
    const char *format = cli_value(cli, "format");
    *out = cli_has(cli, "json") || str_eq(str_of(format), STR("json"));
    if (!format || *out || str_eq(str_of(format), STR("text"))) return ASSAY_OK;
    return error_set(err, ASSAY_INVALID, "--format", "`%s` is no format here; write text or json", format);
}
