/** How a header is refused: what was found beside what was expected, so that whoever reads it need not open the file.
 */
#include "bronze/header.h"

enum { NAME_SHOWN = 100, NAMES_LISTED = 6, ROWS_LISTED = 8, CELL_SHOWN = 30 };

static void put_name(struct buf *out, struct str name, size_t most) {
    buf_addc(out, '`');
    buf_add_printable(out, str_sub(name, 0, most));
    buf_addz(out, name.len > most ? "...`" : "`");
}

static void put_name_at(struct buf *out, const struct str *names, size_t count, size_t i) {
    if (i < count)
        put_name(out, names[i], NAME_SHOWN);
    else
        buf_addz(out, "nothing");
}

static enum assay_code refuse(const struct header *header, struct buf *text, struct assay_error *err) {
    enum assay_code rc = error_set(err, ASSAY_REFUSED, header->file->key.ptr, "%s", text->data);
    buf_free(text);
    return rc;
}

/** A header of one field may be several with another delimiter; else `hint` and the usual. */
static void put_next(const struct headers *h, const struct header *header, const char *hint, struct buf *out) {
    size_t start = out->len;
    buf_addc(out, '\n');
    if (header->count == 1 && mismatch_delimiter(h->dialect, header->names[0], h->columns->contract_count, out)) return;
    out->len = start;
    buf_printf(out, "\nnext: ask the source for the agreed columns, or %schange the contract %.*s", hint,
               STR_ARG(h->plan->contract_path));
}

/* ---- strict ---- */

/** How a header stands to the contract's columns. */
struct comparison {
    size_t *position; /* of each contract column in the header, from 1; 0: missing */
    size_t missing, unknown, displaced;
    size_t twice; /* a field whose name is there before; SIZE_MAX: none */
};

static struct comparison compare(const struct headers *h, const struct header *header, struct arena *arena) {
    struct comparison c = {.position = ARENA_ARRAY(arena, h->columns->contract_count, size_t), .twice = SIZE_MAX};
    c.unknown = header->count - header->name_count;
    for (size_t i = 0; i < header->name_count; i++) {
        size_t column = columns_find(h->columns, header->names[i]);
        if (column == SIZE_MAX)
            c.unknown++;
        else if (c.position[column])
            c.twice = c.twice == SIZE_MAX ? i : c.twice;
        else
            c.position[column] = i + 1;
    }
    for (size_t i = 0; i < h->columns->contract_count; i++) {
        c.missing += c.position[i] == 0;
        c.displaced += c.position[i] != i + 1;
    }
    return c;
}

static void put_cell(struct buf *out, struct str name, size_t width) {
    size_t start = out->len;
    put_name(out, name, CELL_SHOWN);
    while (out->len - start < width) buf_addc(out, ' ');
}

/** The positions that differ, side by side. */
static void put_beside(const struct headers *h, const struct header *header, struct buf *out) {
    size_t width = sizeof "expected", listed = 0;
    for (size_t i = 0; i < header->count; i++) {
        size_t len = h->columns->list[i].name.len + 2;
        if (columns_find(h->columns, header->names[i]) != i && len > width) width = len;
    }
    if (width > CELL_SHOWN + 5) width = CELL_SHOWN + 5;
    buf_printf(out, "\n  column  %-*s  found", (int)width, "expected");
    for (size_t i = 0; i < header->count && listed < ROWS_LISTED; i++) {
        if (columns_find(h->columns, header->names[i]) == i) continue;
        listed++;
        buf_printf(out, "\n  %6zu  ", i + 1);
        put_cell(out, h->columns->list[i].name, width);
        buf_addz(out, "  ");
        put_cell(out, header->names[i], 0);
    }
}

static void put_reordered(const struct headers *h, const struct header *header, const struct comparison *c,
                          struct buf *out) {
    if (c->displaced == 2) {
        size_t i = 0;
        while (c->position[i] == i + 1) i++;
        buf_addz(out, "\nthe columns are all there, but ");
        put_name(out, h->columns->list[i].name, NAME_SHOWN);
        buf_addz(out, " and ");
        put_name(out, h->columns->list[c->position[i] - 1].name, NAME_SHOWN);
        buf_addz(out, " changed places");
    } else {
        buf_printf(out, "\nthe columns are all there in another order; %zu of %zu are not in their place", c->displaced,
                   header->count);
    }
    put_beside(h, header, out);
}

/** Names that one side has and the other has not. */
static void put_differences(const struct headers *h, const struct header *header, const struct comparison *c,
                            struct buf *out) {
    size_t listed = 0;
    if (c->missing) buf_addz(out, "\n  missing: ");
    for (size_t i = 0; i < h->columns->contract_count && listed < NAMES_LISTED && listed < c->missing; i++) {
        if (c->position[i]) continue;
        if (listed++) buf_addz(out, ", ");
        put_name(out, h->columns->list[i].name, CELL_SHOWN);
    }
    if (listed < c->missing) buf_printf(out, " and %zu more", c->missing - listed);
    listed = 0;
    if (c->unknown) buf_addz(out, "\n  not in the contract: ");
    for (size_t i = 0; i < header->name_count && listed < NAMES_LISTED; i++) {
        if (columns_find(h->columns, header->names[i]) != SIZE_MAX) continue;
        if (listed++) buf_addz(out, ", ");
        put_name(out, header->names[i], CELL_SHOWN);
    }
    if (listed < c->unknown) buf_printf(out, " and %zu more", c->unknown - listed);
    if (c->twice == SIZE_MAX) return;
    buf_printf(out, "\n  there twice: ");
    put_name(out, header->names[c->twice], CELL_SHOWN);
}

enum assay_code header_refuse_strict(const struct headers *h, const struct header *header, size_t at,
                                     struct assay_error *err) {
    size_t expected = h->columns->contract_count;
    struct arena scratch = {0};
    struct buf text = {0};
    buf_printf(&text, "header column %zu: expected ", at + 1);
    put_name_at(&text, h->plan->source_columns, expected, at);
    buf_addz(&text, ", found ");
    put_name_at(&text, header->names, header->name_count, at);
    buf_printf(&text, " (%zu columns expected, %zu found); no row of the batch was loaded", expected, header->count);
    struct comparison c = compare(h, header, &scratch);
    bool is_reordered = !c.missing && !c.unknown && c.twice == SIZE_MAX;
    if (is_reordered)
        put_reordered(h, header, &c, &text);
    else if (header->count > 1) /* of one the first line has said it */
        put_differences(h, header, &c, &text);
    put_next(h, header, is_reordered ? "bind columns by name with header: byName, or " : "", &text);
    arena_reset(&scratch);
    return refuse(header, &text, err);
}

/* ---- byName ---- */

enum assay_code header_refuse_name(const struct headers *h, const struct header *header, size_t field,
                                   const char *fault, struct assay_error *err) {
    struct buf text = {0};
    buf_printf(&text, "header column %zu: the name ", field + 1);
    put_name(&text, header->names[field], NAME_SHOWN);
    buf_printf(&text, " %s, so no column can be made of it; no row of the batch was loaded", fault);
    put_next(h, header, "", &text);
    return refuse(header, &text, err);
}

enum assay_code header_refuse_twice(const struct headers *h, const struct header *header, size_t first, size_t second,
                                    struct assay_error *err) {
    struct buf text = {0};
    buf_printf(&text, "header columns %zu and %zu have the same name, ", first + 1, second + 1);
    put_name(&text, header->names[first], NAME_SHOWN);
    if (!str_eq(header->names[first], header->names[second])) {
        buf_addz(&text, " and ");
        put_name(&text, header->names[second], NAME_SHOWN);
        buf_addz(&text, " (case does not count)");
    }
    buf_addz(&text, "; which one is meant cannot be known, so no row of the batch was loaded");
    put_next(h, header, "", &text);
    return refuse(header, &text, err);
}

enum assay_code header_refuse_strange(const struct headers *h, const struct header *header, struct assay_error *err) {
    struct buf text = {0};
    if (header->count == 0) {
        buf_addz(&text, "the file has no header");
    } else {
        buf_addz(&text, "none of the contract's columns is in the header: expected ");
        for (size_t i = 0; i < h->columns->contract_count && i < NAMES_LISTED; i++) {
            if (i) buf_addz(&text, ", ");
            put_name(&text, h->plan->source_columns[i], CELL_SHOWN);
        }
        buf_addz(&text, h->columns->contract_count > NAMES_LISTED ? ", ...; found " : "; found ");
        for (size_t i = 0; i < header->count && i < NAMES_LISTED; i++) {
            if (i) buf_addz(&text, ", ");
            put_name(&text, header->names[i], CELL_SHOWN);
        }
        if (header->count > NAMES_LISTED) buf_addz(&text, ", ...");
    }
    buf_addz(&text, "; no row of the batch was loaded");
    put_next(h, header, header->count ? "say header: none if its files have no header, or " : "", &text);
    return refuse(header, &text, err);
}

/* ---- none ---- */

enum assay_code header_refuse_count(const struct headers *h, const struct header *header, struct assay_error *err) {
    struct buf text = {0};
    size_t expected = h->columns->contract_count;
    buf_printf(
        &text,
        "the first record has %zu field%s, where the contract reads %zu columns by position; no row of the batch "
        "was loaded",
        header->count, header->count == 1 ? "" : "s", expected);
    put_next(h, header, "", &text);
    return refuse(header, &text, err);
}

enum assay_code header_refuse_header(const struct headers *h, const struct header *header, struct assay_error *err) {
    struct buf text = {0};
    buf_addz(&text, "the first record is a header, where the contract says there is none: ");
    for (size_t i = 0; i < header->count && i < NAMES_LISTED; i++) {
        if (i) buf_addz(&text, ", ");
        put_name(&text, header->names[i], CELL_SHOWN);
    }
    buf_addz(&text, header->count > NAMES_LISTED ? ", ..." : "");
    buf_printf(&text, "; no row of the batch was loaded\nnext: say header: strict, or byName, in the contract %.*s",
               STR_ARG(h->plan->contract_path));
    return refuse(header, &text, err);
}
