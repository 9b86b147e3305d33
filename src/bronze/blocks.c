/**
 * The rows of a batch's files, block by block: whoever is out of rows reads on where the last one stopped.
 *
 * One file is open at a time, and reading it is serial: bytes are copied and line ends counted, which takes a small
 * part of the time that the rows of a block then cost. So a block's first line is known at once, and files need no
 * borders at which they could be cut wrongly.
 */
#include "bronze/bronze_int.h"

#include <pthread.h>
#include <stdlib.h>

struct blocks {
    const struct csv_dialect *dialect;
    const struct bronze_file *files;
    size_t count;
    pthread_mutex_t lock; /* of what follows */
    size_t next;          /* file to open */
    struct csv_file file;
    bool is_open;
};

struct blocks *blocks_open(const struct csv_dialect *dialect, const struct bronze_file *files, size_t count) {
    struct blocks *b = memory_alloc(sizeof *b);
    *b = (struct blocks){.dialect = dialect, .files = files, .count = count};
    pthread_mutex_init(&b->lock, NULL);
    return b;
}

void blocks_close(struct blocks **blocks) {
    struct blocks *b = *blocks;
    if (!b) return;
    if (b->is_open) csv_file_close(&b->file);
    pthread_mutex_destroy(&b->lock);
    free(b);
    *blocks = NULL;
}

/** With the lock held. */
static enum assay_code load_next(struct blocks *b, struct csv_block *block, const struct bronze_file **file,
                                 struct assay_error *err) {
    for (;;) {
        if (!b->is_open) {
            if (b->next == b->count) return ASSAY_OK;
            const struct bronze_file *f = &b->files[b->next++];
            TRY(csv_file_open(&b->file, b->dialect, f->path, f->size_bytes, f->rows_offset, f->rows_line, err));
            b->is_open = true;
        }
        TRY(csv_block_load(block, &b->file, err));
        if (block->stop) break;
        csv_file_close(&b->file);
        b->is_open = false;
    }
    *file = &b->files[b->next - 1];
    return ASSAY_OK;
}

enum assay_code blocks_next(struct blocks *blocks, struct csv_block *block, const struct bronze_file **file,
                            struct assay_error *err) {
    *file = NULL;
    pthread_mutex_lock(&blocks->lock);
    enum assay_code rc = load_next(blocks, block, file, err);
    pthread_mutex_unlock(&blocks->lock);
    return rc;
}
