/*
 * The pattern of a date or timestamp, judged before any row is read.
 *
 * 1. A `T` outside of quotes is the letter T, as the standard's own examples write it.
 * 2. Spark 3.5 refuses A B c e E F n N p q Q u w W Y for reading, letters that Java does not know, and some lengths.
 * 3. What is legal and almost never meant is a warning: DD, mm without hours, hh without a.
 * Source: the oracle's README, "Formats"; Spark's DateTimeFormatterHelper;
 * java.time.format.DateTimeFormatterBuilder.appendPattern.
 */
#include "contract/reader.h"

#include <string.h>

/* The longest run of each letter that Spark and Java take for reading; 0: not taken. */
static int longest_run(char letter) {
    switch (letter) {
    case 'G':
    case 'M':
    case 'L':
    case 'z':
        return 4;
    case 'y':
        return 6;
    case 'd':
    case 'H':
    case 'h':
    case 'k':
    case 'K':
    case 'm':
    case 's':
    case 'V':
        return 2;
    case 'D':
        return 3;
    case 'a':
        return 1;
    case 'S':
        return 9;
    case 'X':
    case 'x':
    case 'Z':
        return 5;
    case 'O':
        return 4;
    default:
        return 0;
    }
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static const char *meant_by(char letter) {
    switch (letter) {
    case 'Y':
        return "Y is the year of the week: write yyyy";
    case 'u':
        return "write yyyy for the year";
    case 'E':
    case 'e':
    case 'c':
        return "Spark 3 reads no day of the week: cut it off with transformLogic";
    case 'n':
    case 'N':
    case 'A':
        return "write SSS for the fraction of a second";
    default:
        return "write text in single quotes, such as 'at'";
    }
}

static void check_run(struct reader *r, const struct yaml_node *node, size_t start, size_t length) {
    char letter = node->text.ptr[start];
    int longest = longest_run(letter);
    bool is_odd = (letter == 'V' && length != 2) || (letter == 'O' && length != 1 && length != 4);
    if (longest == 0)
        report_error(r, mark_text(r, node, start, length), "bad-format", str_of(meant_by(letter)),
                     "Spark refuses the letter '%c' in a pattern for reading", letter);
    else if ((int64_t)length > longest || is_odd)
        report_error(r, mark_text(r, node, start, length), "bad-format", (struct str){0},
                     "'%.*s' has too many or too few of the letter '%c'", (int)(length < 40 ? length : 40),
                     node->text.ptr + start, letter);
}

/* Index of the closing quote, or of the text's end. */
static size_t end_of_quoted(struct str text, size_t open) {
    size_t at = open + 1;
    while (at < text.len) {
        if (text.ptr[at] != '\'')
            at++;
        else if (at + 1 < text.len && text.ptr[at + 1] == '\'')
            at += 2;
        else
            break;
    }
    return at;
}

/* Counts letters outside of quotes into `runs` (the longest run of each). */
static void walk(struct reader *r, const struct yaml_node *node, size_t runs[128]) {
    struct str text = node->text;
    int depth = 0;
    for (size_t at = 0; at < text.len;) {
        char c = text.ptr[at];
        size_t next = at + 1;
        if (c == '\'') {
            next = end_of_quoted(text, at) + 1;
            if (next > text.len)
                report_error(r, mark_text(r, node, at, 1), "bad-format", STR("close it, or double it for a quote"),
                             "the quote is never closed");
        } else if (is_letter(c) && c != 'T') {
            while (next < text.len && text.ptr[next] == c) next++;
            check_run(r, node, at, next - at);
            if (next - at > runs[(unsigned char)c]) runs[(unsigned char)c] = next - at;
        } else if (c == '{' || c == '}' || c == '#') {
            report_error(r, mark_text(r, node, at, 1), "bad-format", STR("write it in single quotes"),
                         "'%c' is reserved in patterns", c);
        } else if (c == '[') {
            depth++;
        } else if (c == ']' && --depth < 0) {
            depth = 0;
            report_error(r, mark_text(r, node, at, 1), "bad-format", STR("optional parts stand in [ ]"),
                         "this ] has no [ before it");
        }
        at = next;
    }
}

static void check_meaning(struct reader *r, const struct yaml_node *node, const size_t runs[128]) {
    struct mark at = mark_node(r, node);
    bool has_hour = runs['H'] || runs['h'] || runs['k'] || runs['K'];
    if (runs['D'] && (runs['M'] || runs['L']))
        report_warning(r, at, "odd-format", STR("write dd for the day of the month"), "D is the day of the year");
    if (runs['m'] && !has_hour)
        report_warning(r, at, "odd-format", STR("write MM for the month"), "m is the minute, and there is no hour");
    if ((runs['h'] || runs['K']) && !runs['a'])
        report_warning(r, at, "odd-format", STR("write HH for hours from 0 to 23, or add a for AM and PM"),
                       "hours from 1 to 12 mean nothing without AM or PM: no value can be read");
}

void read_datetime_format(struct reader *r, const struct yaml_node *scalar) {
    size_t runs[128];
    memset(runs, 0, sizeof runs);
    if (scalar->text.len == 0) {
        report_error(r, mark_node(r, scalar), "bad-format", STR("take the line out for ISO dates and times"),
                     "the pattern is empty");
        return;
    }
    walk(r, scalar, runs);
    check_meaning(r, scalar, runs);
}
