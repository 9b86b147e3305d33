/**
 * libassay: data contracts on Delta tables.
 *
 *     #include <assay/assay.h>      cc main.c $(pkg-config --cflags --libs assay)
 *
 * The program `assay` is built on the same code and shows more of it; what is here is kept stable. Every fallible
 * function returns a code and fills the caller's `struct assay_error` (zeroed before use; NULL if only the code is
 * wanted). Texts are UTF-8, ended by NUL.
 *
 * One call at a time in a process. A call installs no signal handler; one that writes expects SIGXFSZ to be ignored if
 * the process has a limit on file size. When memory is exhausted the process ends with a message and exit code 3: what
 * was written so far is as safe as after a crash, and running again finishes it.
 */
#ifndef ASSAY_ASSAY_H
#define ASSAY_ASSAY_H

#include <assay/error.h>
#include <assay/project.h>
#include <assay/run.h>
#include <assay/text.h>

/** Version of the library that runs, `<major>.<minor>.<patch>`, static. */
__attribute__((visibility("default"))) const char *assay_version(void);

#endif
