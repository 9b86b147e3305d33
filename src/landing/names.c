/** Names: which files of a batch folder are data, and where a batch's folder is. */
#include "landing/landing_int.h"

/** `[a-z]`, `[!a-z]`, `[^a-z]` at *p, moved behind it; a `[` that nothing closes is itself. */
static bool matches_class(struct str pattern, size_t *p, unsigned char c) {
    size_t i = *p + 1;
    bool is_negated = i < pattern.len && (pattern.ptr[i] == '!' || pattern.ptr[i] == '^');
    if (is_negated) i++;
    size_t close = i + 1;
    while (close < pattern.len && pattern.ptr[close] != ']') close++;
    if (close >= pattern.len) {
        ++*p;
        return c == '[';
    }
    bool is_in = false;
    while (i < close) {
        unsigned char low = (unsigned char)pattern.ptr[i], high = low;
        if (i + 2 < close && pattern.ptr[i + 1] == '-') {
            high = (unsigned char)pattern.ptr[i + 2];
            i += 2;
        }
        is_in = is_in || (c >= low && c <= high);
        i++;
    }
    *p = close + 1;
    return is_in != is_negated;
}

bool landing_matches(struct str pattern, struct str name) {
    size_t p = 0, n = 0, star = SIZE_MAX, star_n = 0;
    while (n < name.len) {
        size_t next = p;
        bool is_step = false;
        if (p < pattern.len && pattern.ptr[p] == '*') {
            star = p++;
            star_n = n;
            continue;
        }
        if (p < pattern.len && pattern.ptr[p] == '[') {
            is_step = matches_class(pattern, &next, (unsigned char)name.ptr[n]);
        } else if (p < pattern.len) {
            is_step = pattern.ptr[p] == '?' || pattern.ptr[p] == name.ptr[n];
            next = p + 1;
        }
        if (is_step) {
            p = next;
            n++;
        } else if (star != SIZE_MAX) { /* the last star takes one byte more */
            p = star + 1;
            n = ++star_n;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.ptr[p] == '*') p++;
    return p == pattern.len;
}

bool landing_is_data(const struct plan *plan, struct str name) {
    struct str pattern = plan->source.pattern, plain = name;
    if (plan->source.takes_packed && str_ends(name, STR(".gz"))) plain = str_sub(name, 0, name.len - 3);
    if (plan->source.takes_packed && str_ends(name, STR(".zst"))) plain = str_sub(name, 0, name.len - 4);
    return name.len && !landing_is_marked(name) && (landing_matches(pattern, name) || landing_matches(pattern, plain));
}

bool landing_has_mark(struct str path) {
    while (path.len) {
        struct str part;
        path = str_split(path, '/', &part);
        if (landing_is_marked(part)) return true;
    }
    return false;
}

bool landing_is_log_file(struct str path) {
    struct str name = str_basename(path);
    return str_starts(path, STR(LOG_NAME "/")) && name.len && !landing_is_marked(name) && !str_ends(name, STR(".crc"));
}

bool landing_is_table_file(struct str path) {
    if (str_starts(path, STR(LOG_NAME "/"))) return landing_is_log_file(path);
    while (path.len) {
        struct str part;
        path = str_split(path, '/', &part);
        if (landing_is_marked(part) && (path.len == 0 || str_find_char(part, '=') == SIZE_MAX)) return false;
    }
    return true;
}

struct str landing_unread_text(const struct plan *plan, struct arena *arena) {
    if (plan->source.format == CONTRACT_DELTA) return STR("is read: the folder holds no Delta table, no " LOG_NAME);
    return str_printf(arena, "matches the contract's pattern %.*s", STR_ARG(plan->source.pattern));
}

struct str landing_source(const struct plan *plan, struct arena *arena) {
    return str_path(arena, STR("Files"), plan->source.path);
}

struct str landing_folder(const struct plan *plan, struct str batch_id, struct arena *arena) {
    return str_printf(arena, "%.*s/" BATCH_PREFIX "%.*s", STR_ARG(landing_source(plan, arena)), STR_ARG(batch_id));
}

bool landing_is_marked(struct str name) { return name.len && (name.ptr[0] == '_' || name.ptr[0] == '.'); }

struct str landing_shown(struct str name, struct arena *arena) {
    struct buf text = {0};
    buf_add_printable(&text, name);
    struct str out = str_copy(arena, buf_str(&text));
    buf_free(&text);
    return out;
}
