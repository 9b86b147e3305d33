/** SHA-256 and random ids, over OpenSSL (the one place that knows the library); CRC-32 over zlib. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/str.h"

enum { HASH_SHA256_HEX = 64 };

struct hash; /* a running SHA-256 */
struct hash *hash_open(void);
void hash_add(struct hash *h, const void *bytes, size_t count);
/** Ends and frees; hex is lower case, ended by NUL. */
void hash_close(struct hash **h, char hex[HASH_SHA256_HEX + 1]);
/** The hex SHA-256 of one text. */
struct str hash_sha256(struct arena *arena, struct str bytes);
/** The CRC-32 of zlib and Parquet. */
uint32_t hash_crc32(struct str bytes);
/** The hex MD5 of one text, as Delta's `_last_checkpoint` wants it; empty where OpenSSL is set to refuse MD5 (FIPS). */
struct str hash_md5(struct arena *arena, struct str bytes);
/** A random version 4 UUID, `xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx`. */
struct str hash_uuid(struct arena *arena);

#endif
