/* First line a pattern, the rest a text: the pattern is refused with a message, or reads the text as the same day and
 * time. */
#include "engine/cast.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct assay_error err = {0};
    struct datetime_pattern *pattern;
    struct str line, text = str_split((struct str){(const char *)data, size}, '\n', &line);
    if (datetime_pattern_open(line, &pattern, &err)) {
        if (err.message[0] == '\0' || pattern) abort();
        return 0;
    }
    int32_t days;
    int64_t us;
    bool is_read = datetime_pattern_timestamp(pattern, text, &us);
    if (datetime_pattern_date(pattern, text, &days) != is_read) abort();
    if (is_read && us / 86400000000 - (us % 86400000000 < 0) != days) abort();
    datetime_pattern_close(&pattern);
    return 0;
}
