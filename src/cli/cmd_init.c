#include "cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static enum assay_code make_folder(const char *path, struct assay_error *err) {
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return ASSAY_OK;
    return error_errno(err, errno, path, "make the folder");
}

/** Create a file that must not be there yet. */
static enum assay_code make_file(const char *path, struct str text, struct assay_error *err) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST)
        return error_set(err, ASSAY_EXISTS, path,
                         "is there already and stays as it is\n"
                         "next: assay init SCHEMA.TABLE starts the contract of another table");
    if (fd < 0) return error_errno(err, errno, path, "create");
    bool is_written = write(fd, text.ptr, text.len) == (ssize_t)text.len;
    int failed = errno;
    close(fd);
    return is_written ? ASSAY_OK : error_errno(err, failed, path, "write");
}

static enum assay_code run(struct cli *cli, struct assay_error *err) {
    struct str table = cli->arg_count ? cli_arg(cli, 0) : STR("silver.orders");
    struct str root;
    struct buf contract = {0}, config = {0};
    TRY(plan_table_root(table, &cli->arena, &root, err));
    const char *path = str_printf(&cli->arena, "contracts/%.*s.odcs.yaml", STR_ARG(table)).ptr;
    bool has_project = access("assay.yaml", F_OK) == 0;
    TRY(make_folder("contracts", err));
    if (!has_project) TRY(make_folder("lake", err));
    contract_init_text(table, &contract, &config);
    enum assay_code rc = make_file(path, buf_str(&contract), err);
    if (rc == ASSAY_OK && !has_project) rc = make_file("assay.yaml", buf_str(&config), err);
    buf_free(&contract);
    buf_free(&config);
    if (rc) return rc;
    printf("wrote %s%s\nnext: say in it what your table promises, then assay lint; assay land %.*s FILE --batch ID; "
           "assay run\n",
           path, has_project ? "" : " and assay.yaml", STR_ARG(table));
    return ASSAY_OK;
}

const struct cli_command cmd_init = {
    .name = "init",
    .arguments = "[TABLE]",
    .summary = "a first assay.yaml and contract in this folder",
    .text =
        "Writes assay.yaml (where the lake is, which contracts hold) and contracts/TABLE.odcs.yaml, a small commented "
        "contract to\n"
        "start from. TABLE is <schema>.<table>, silver.orders by default. Files that are there are never changed.\n",
    .args_max = 1,
    .run = run,
};
