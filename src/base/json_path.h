/**
 * One value inside a JSON text, as Spark 3.5's get_json_object finds it.
 *
 * A path is `$` and steps: `.name`, `['name']`, `[0]`. Wildcards are refused. A text that is no JSON has no value, nor
 * has a path that ends nowhere or, as a member, at null; the last element of a path that is null is the text `null`, as
 * in Spark. A string is what it says; objects and arrays are written without blanks. One difference on purpose: numbers
 * keep their digits and form, where Spark 3.5 sends those with a fraction through a double.
 */
#ifndef BASE_JSON_PATH_H
#define BASE_JSON_PATH_H

#include "base/str.h"

struct json_path;

/** @return OK; INVALID not such a path (where); UNSUPPORTED a wildcard */
enum assay_code json_path_open(struct str text, struct json_path **out, struct assay_error *err) NODISCARD;
void json_path_close(struct json_path **path);
/** Append the value to out; json is valid UTF-8. False: there is none, and out is as it was. May run in many threads at
 * once. */
bool json_path_find(const struct json_path *path, struct str json, struct buf *out);

#endif
