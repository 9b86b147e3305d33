/**
 * What every unit test includes: cmocka, our own assertions, a scratch folder and the test data.
 *
 *     static void test_cuts_at_separator(void **state) { ... }
 *     TEST_MAIN(cmocka_unit_test(test_cuts_at_separator), ...)
 */
#ifndef TESTS_SUPPORT_TEST_H
#define TESTS_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

#define UNUSED(x) ((void)(x))

/** The call succeeded; else its error is printed. */
#define assert_ok(rc, err) test_assert_code(ASSAY_OK, (rc), (err), __FILE__, __LINE__)
/** The call failed with this code, and err says so too with a message. err may be NULL. */
#define assert_code(expected, rc, err) test_assert_code((expected), (rc), (err), __FILE__, __LINE__)
/** A struct str has exactly the bytes of a C string. */
#define assert_str(actual, expected) test_assert_str((actual), (expected), __FILE__, __LINE__)
/** A struct str or message contains this text. */
#define assert_has(actual, part) test_assert_has((actual), (part), __FILE__, __LINE__)
/** The message or the place of an error contains this text. */
#define assert_err_has(err, part) test_assert_err_has((err), (part), __FILE__, __LINE__)

void test_assert_code(enum assay_code expected, enum assay_code actual, const struct assay_error *err, const char *file,
                      int line);
void test_assert_str(struct str actual, const char *expected, const char *file, int line);
void test_assert_has(struct str actual, const char *part, const char *file, int line);
void test_assert_err_has(const struct assay_error *err, const char *part, const char *file, int line);

/**
 * A new empty folder with an absolute path, removed when the program ends (kept when ASSAY_TEST_KEEP is set).
 * The path is valid until the end of the program.
 */
const char *test_dir(void);

/** Absolute path of a file under tests/data. In arena. */
const char *test_data(struct arena *arena, const char *path);

/** The whole file, NUL-ended; fails the test when it cannot be read. */
struct str test_read(struct arena *arena, const char *path);

/** Write a file, making the folders above it; fails the test when it cannot. */
void test_write(const char *path, struct str bytes);

#define TEST_MAIN(...)                                                                                                 \
    int main(void) {                                                                                                   \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                                               \
        return cmocka_run_group_tests(tests, NULL, NULL);                                                              \
    }

#endif
