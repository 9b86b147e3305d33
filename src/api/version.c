/** What belongs to the library as a whole. */
#include <assay/assay.h>

#include <stdlib.h>

const char *assay_version(void) { return ASSAY_VERSION; }

void assay_free(char *text) { free(text); }
