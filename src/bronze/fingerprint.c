/** What makes a batch the same batch for bronze: names and hashes of its files, in order, and how the contract reads
 * them. */
#include "bronze/bronze_int.h"

#include "base/hash.h"

struct str fingerprint_of(const struct landing_batch *batch, const struct plan *plan, struct arena *arena) {
    struct hash *h = hash_open();
    char hex[HASH_SHA256_HEX + 1];
    for (size_t i = 0; i < batch->file_count; i++) { /* a name holds no NUL, so NUL parts them */
        hash_add(h, batch->files[i].name.ptr, batch->files[i].name.len);
        hash_add(h, "", 1);
        hash_add(h, batch->files[i].sha256.ptr, batch->files[i].sha256.len);
        hash_add(h, "", 1);
    }
    hash_add(h, plan->reader_settings.ptr, plan->reader_settings.len);
    hash_close(&h, hex);
    return str_copy(arena, str_of(hex));
}

int64_t fingerprint_number(struct str hex) {
    uint64_t number = 0;
    for (size_t i = 0; i < 16 && i < hex.len; i++) {
        char c = hex.ptr[i];
        number = number << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return (int64_t)(number >> 1);
}
