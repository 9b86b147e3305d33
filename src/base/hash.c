/*
 * SHA-256, MD5 and random ids over OpenSSL, CRC-32 over zlib. A library call that fails here means a broken or
 * out-of-memory installation, not bad input, so it ends the process as memory_alloc does.
 */
#include "base/hash.h"

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

struct hash {
    EVP_MD_CTX *context;
};

static void require(int library_ok, const char *what) {
    if (library_ok == 1) return;
    fprintf(stderr, "assay: OpenSSL cannot %s; check its installation\n", what);
    exit(3);
}

struct hash *hash_open(void) {
    struct hash *h = memory_alloc(sizeof *h);
    h->context = EVP_MD_CTX_new();
    require(h->context && EVP_DigestInit_ex(h->context, EVP_sha256(), NULL), "start SHA-256");
    return h;
}

void hash_add(struct hash *h, const void *bytes, size_t count) {
    if (count) require(EVP_DigestUpdate(h->context, bytes, count), "add to SHA-256");
}

void hash_close(struct hash **h, char hex[HASH_SHA256_HEX + 1]) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    require(EVP_DigestFinal_ex((*h)->context, digest, &length), "end SHA-256");
    for (unsigned i = 0; i < length; i++) snprintf(hex + 2 * (size_t)i, 3, "%02x", digest[i]);
    EVP_MD_CTX_free((*h)->context);
    free(*h);
    *h = NULL;
}

struct str hash_sha256(struct arena *arena, struct str bytes) {
    char *hex = arena_alloc(arena, HASH_SHA256_HEX + 1);
    struct hash *h = hash_open();
    hash_add(h, bytes.ptr, bytes.len);
    hash_close(&h, hex);
    return (struct str){hex, HASH_SHA256_HEX};
}

struct str hash_md5(struct arena *arena, struct str bytes) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    if (EVP_Digest(bytes.ptr ? bytes.ptr : "", bytes.len, digest, &length, EVP_md5(), NULL) != 1)
        return (struct str){0};
    struct buf hex = {0};
    for (unsigned i = 0; i < length; i++) buf_printf(&hex, "%02x", digest[i]);
    struct str copy = str_copy(arena, buf_str(&hex));
    buf_free(&hex);
    return copy;
}

uint32_t hash_crc32(struct str bytes) { return (uint32_t)crc32_z(0, (const unsigned char *)bytes.ptr, bytes.len); }

struct str hash_uuid(struct arena *arena) {
    unsigned char b[16];
    require(RAND_bytes(b, sizeof b), "give random bytes");
    b[6] = (unsigned char)((b[6] & 0x0F) | 0x40);
    b[8] = (unsigned char)((b[8] & 0x3F) | 0x80);
    return str_printf(arena, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2],
                      b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}
