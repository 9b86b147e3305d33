#include "support/test.h"

#include "base/unicode.h"

/* Expected: java.lang.String.toUpperCase and toLowerCase with Locale.ROOT. */
static const struct {
    const char *text, *upper, *lower;
} cases[] = {
    {"", "", ""},
    {"Hello, World 09_", "HELLO, WORLD 09_", "hello, world 09_"},
    {"@[`{", "@[`{", "@[`{"}, /* next to the letters */
    {"Stra\u00DFe", "STRASSE", "stra\u00DFe"},
    {"\u00FC\u00D6", "\u00DC\u00D6", "\u00FC\u00F6"},
    {"\uFB01", "FI", "\uFB01"},                                                           /* ligature fi */
    {"\u039F\u0394\u039F\u03A3", "\u039F\u0394\u039F\u03A3", "\u03BF\u03B4\u03BF\u03C2"}, /* final sigma */
    {"\u0130", "\u0130", "i\u0307"}, /* I with dot: two code points */
    {"\u0131i", "II", "\u0131i"},    /* dotless i */
    {"\u01C6", "\u01C4", "\u01C6"},
    {"\U00010428", "\U00010400", "\U00010428"}, /* Deseret, outside the BMP */
    {"\u0149", "\u02BCN", "\u0149"},
};

static void test_case_maps_as_in_java(void **state) {
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buf out = {0};
        buf_addz(&out, "kept Abc|");
        unicode_upper(&out, str_of(cases[i].text));
        assert_str(str_sub(buf_str(&out), 9, out.len), cases[i].upper);
        assert_str(str_sub(buf_str(&out), 0, 9), "kept Abc|");
        buf_clear(&out);
        unicode_lower(&out, str_of(cases[i].text));
        assert_str(buf_str(&out), cases[i].lower);
        buf_free(&out);
    }
}

TEST_MAIN(cmocka_unit_test(test_case_maps_as_in_java))
