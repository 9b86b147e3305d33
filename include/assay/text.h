/** Texts that the library hands out. */
#ifndef ASSAY_TEXT_H
#define ASSAY_TEXT_H

/** Give back a text that a function of assay handed out. NULL is fine. */
__attribute__((visibility("default"))) void assay_free(char *text);

#endif
