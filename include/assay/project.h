/** A project: a folder with `assay.yaml`, which says where the lake is and which contracts hold. */
#ifndef ASSAY_PROJECT_H
#define ASSAY_PROJECT_H

#include <assay/error.h>

/**
 * Read the project and all its contracts and list every mistake. Touches no data.
 *
 * @param folder  the folder of assay.yaml or one below it; NULL for the current folder
 * @param[out] json  one JSON object, to be given back with assay_free:
 *     {"files": 1, "errors": 1, "warnings": 0,
 *      "diagnostics": [{"file", "line", "column", "length", "severity": "error|warning|note", "code", "message",
 *                       "help"}],
 *      "unchecked": [{"file", "table", "what"}]}      what a contract declares and assay does not check
 *     NULL when the call fails otherwise than with ASSAY_INVALID for mistakes in the files
 * @return ASSAY_OK no errors, maybe warnings
 *         ASSAY_INVALID errors, listed in json; or assay.yaml is no YAML mapping (json is NULL)
 *         ASSAY_NOT_FOUND no such folder, or no assay.yaml in it or above it
 *         ASSAY_DENIED, ASSAY_UNAVAILABLE a file cannot be read
 *         ASSAY_LIMIT a file is larger than 4 MiB
 */
__attribute__((visibility("default"))) enum assay_code assay_lint(const char *folder, char **json,
                                                                  struct assay_error *err);

#endif
