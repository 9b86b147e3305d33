/* Any bytes are a tree or an error with a message. */
#include "base/yaml.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena = {0};
    struct assay_error err = {0};
    struct yaml_node *root = NULL;
    enum assay_code rc = yaml_parse((struct str){(const char *)data, size}, "fuzz", &arena, &root, &err);
    if (rc == ASSAY_OK ? root == NULL : err.message[0] == '\0') abort();
    arena_reset(&arena);
    return 0;
}
