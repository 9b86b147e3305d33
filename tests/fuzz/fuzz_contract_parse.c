/* Any bytes are contracts or mistakes, each mistake with a code, a place and a text that can be printed. */
#include "contract/contract.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena = {0};
    struct diagnostics mistakes = {0};
    struct contract *contracts = NULL;
    size_t count = 0;
    struct buf out = {0};
    enum assay_code rc =
        contract_parse((struct str){(const char *)data, size}, STR("fuzz"), &arena, &contracts, &count, &mistakes);
    if (rc != ASSAY_OK || (count == 0 && mistakes.error_count == 0)) abort();
    for (size_t i = 0; i < mistakes.count; i++)
        if (mistakes.list[i].line == 0 || mistakes.list[i].column == 0 || mistakes.list[i].code.len == 0) abort();
    diagnostics_print(&mistakes, DIAGNOSTIC_NOTE, &out);
    buf_free(&out);
    arena_reset(&arena);
    return 0;
}
