/*
 * A fuzzer small enough to run everywhere: every file of the corpus as it is, then copies with random damage.
 *
 *     fuzz_<module>_<name> CORPUS RUNS [SEED]
 *
 * The same seed gives the same inputs. The input being tried is in fuzz-input.bin of the current folder, so a
 * crash leaves it there: `fuzz_... fuzz-input.bin 0` tries it again. A target is tests/fuzz/fuzz_<module>_<name>.c with
 * LLVMFuzzerTestOneInput, so libFuzzer can drive it too.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUTS_MAX = 4096, SIZE_MAX_BYTES = 1 << 16 };

struct input {
    uint8_t *bytes;
    size_t size;
};

static struct input corpus[INPUTS_MAX];
static size_t corpus_count;
static uint64_t random_state;

static size_t random_below(size_t limit) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return limit ? (size_t)(random_state % limit) : 0;
}

static void add_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(2);
    }
    struct input *input = &corpus[corpus_count++];
    input->bytes = malloc(SIZE_MAX_BYTES);
    input->size = input->bytes ? fread(input->bytes, 1, SIZE_MAX_BYTES, file) : 0;
    fclose(file);
}

static int is_shown(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static void add_corpus(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) {
        add_file(path);
        return;
    }
    struct dirent **names;
    int count = scandir(path, &names, is_shown, alphasort); /* in order: the same seed, the same inputs */
    for (int i = 0; i < count; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, names[i]->d_name);
        if (corpus_count < INPUTS_MAX) add_file(name);
        free(names[i]);
    }
    if (count >= 0) free(names);
}

static void try_input(const uint8_t *bytes, size_t size) {
    FILE *file = fopen("fuzz-input.bin", "wb");
    if (file) {
        fwrite(bytes, 1, size, file);
        fclose(file);
    }
    uint8_t *exact = malloc(size ? size : 1); /* of just this size, so that a sanitizer sees the byte after it */
    if (!exact) exit(2);
    memcpy(exact, bytes, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

/** One change: other bytes, bytes gone, bytes twice, or a piece of another input. */
static size_t damage(uint8_t *bytes, size_t size) {
    static const uint8_t nasty[] = {0,   '\n', '\r', '"', '\'', '\\', ',',  ':',  '{',
                                    '}', '[',  ']',  '&', '*',  0x7f, 0x80, 0xc3, 0xff};
    size_t at = random_below(size + 1);
    size_t length = random_below(random_below(4) ? 8 : 256);
    if (length > size - at) length = size - at;
    switch (random_below(5)) {
    case 0:
        if (at < size) bytes[at] = (uint8_t)random_below(256);
        return size;
    case 1:
        if (at < size) bytes[at] = nasty[random_below(sizeof nasty)];
        return size;
    case 2:
        memmove(bytes + at, bytes + at + length, size - at - length);
        return size - length;
    case 3:
        if (size + length > SIZE_MAX_BYTES) return size;
        memmove(bytes + at + length, bytes + at, size - at);
        return size + length;
    default: {
        const struct input *other = &corpus[random_below(corpus_count)];
        size_t from = random_below(other->size);
        if (length > other->size - from) length = other->size - from;
        if (length) memcpy(bytes + at, other->bytes + from, length);
        return size;
    }
    }
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: %s CORPUS RUNS [SEED]\n", argv[0]);
        return 2;
    }
    add_corpus(argv[1]);
    if (corpus_count == 0) {
        fprintf(stderr, "%s: no input\n", argv[1]);
        return 2;
    }
    for (size_t i = 0; i < corpus_count; i++) try_input(corpus[i].bytes, corpus[i].size);

    unsigned long runs = strtoul(argv[2], NULL, 10);
    random_state = 0x9e3779b97f4a7c15u ^ (argc > 3 ? strtoul(argv[3], NULL, 10) : 1);
    uint8_t *bytes = malloc(SIZE_MAX_BYTES);
    if (!bytes) return 2;
    for (unsigned long run = 0; run < runs; run++) {
        const struct input *input = &corpus[random_below(corpus_count)];
        size_t size = input->size;
        memcpy(bytes, input->bytes, size);
        for (size_t changes = 1 + random_below(6); changes > 0; changes--) size = damage(bytes, size);
        try_input(bytes, size);
    }
    free(bytes);
    for (size_t i = 0; i < corpus_count; i++) free(corpus[i].bytes);
    remove("fuzz-input.bin");
    printf("%zu inputs, %lu damaged ones\n", corpus_count, runs);
    return 0;
}
