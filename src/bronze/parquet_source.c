/*
 * The columns and rows of a batch of Parquet files.
 *
 * 1. Every file's schema is read before any row. What the engine would change in silence is refused there: it reads
 * decimals over 38 digits as doubles and cuts nanoseconds with a zone to microseconds.
 * 2. Nanoseconds without a zone are taken when every value is whole microseconds, else refused with the first row that
 * is not.
 * 3. A column is bound by name, whatever its case; a file that lacks it has NULLs.
 * 4. INT96 is an instant, as for Spark; its nanoseconds are cut to microseconds by the engine, as by Spark.
 * Source: parquet-format, LogicalTypes.md; tests with files of Arrow.
 */
#include "bronze/parquet.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct parquet_field {
    struct str name;
    struct str type_json;
    size_t column; /* in the batch */
    bool is_nanos;
};

static enum assay_code refuse(const struct bronze_file *file, struct str column, const char *what, const char *next,
                              struct assay_error *err) {
    struct buf name = {0};
    buf_add_printable(&name, str_sub(column, 0, 100));
    enum assay_code rc =
        error_set(err, ASSAY_REFUSED, file->key.ptr, "column `%s` %s; no row of the batch was loaded\nnext: %s",
                  name.data ? name.data : "", what, next);
    buf_free(&name);
    return rc;
}

/* ---- is it Parquet ---- */

enum { MAGIC_BYTES = 4, SMALLEST_BYTES = 12 };

static enum assay_code refuse_file(const struct bronze_file *file, const char *what, const char *next,
                                   struct assay_error *err) {
    return error_set(err, ASSAY_REFUSED, file->key.ptr, "%s; no row of the batch was loaded\nnext: %s", what, next);
}

static enum assay_code check_magic(const struct bronze_file *file, struct assay_error *err) {
    char head[MAGIC_BYTES + 1] = "", tail[MAGIC_BYTES + 1] = "";
    int fd = open(file->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return error_errno(err, errno, file->path, "read");
    bool is_read = file->size_bytes >= SMALLEST_BYTES && pread(fd, head, MAGIC_BYTES, 0) == MAGIC_BYTES &&
                   pread(fd, tail, MAGIC_BYTES, file->size_bytes - MAGIC_BYTES) == MAGIC_BYTES;
    close(fd);
    if (is_read && (strcmp(head, "PARE") == 0 || strcmp(tail, "PARE") == 0))
        return refuse_file(file, "the file is encrypted Parquet, which is not read",
                           "ask the source to send it without encryption", err);
    if (is_read && strcmp(head, "PAR1") == 0 && strcmp(tail, "PAR1") == 0) return ASSAY_OK;
    if (is_read && strcmp(head, "PAR1") == 0)
        return refuse_file(file, "the file begins as Parquet and has no end: it is cut off",
                           "ask the source to send it again", err);
    return refuse_file(file, "the file is no Parquet", "check `format` and `pattern` in assaySource", err);
}

/* ---- the schema of one file ---- */

enum { SCHEMA_NAME, SCHEMA_TYPE, SCHEMA_CHILDREN, SCHEMA_CONVERTED, SCHEMA_LOGICAL, SCHEMA_PRECISION };

struct schema {
    const struct bronze_file *file;
    struct engine_result elements; /* of the Parquet schema, depth first */
    struct engine_result columns;  /* name and type for the engine */
};

static struct str element(const struct schema *s, size_t row, size_t column) {
    return engine_cell_at(&s->elements, row, column)->text;
}

static enum assay_code read_schema(struct engine *engine, const struct bronze_file *file, struct arena *arena,
                                   struct schema *s, struct assay_error *err) {
    struct str path = str_of(file->path);
    struct buf sql = {0};
    s->file = file;
    buf_addz(&sql, "SELECT name, type, num_children, converted_type, logical_type, precision FROM parquet_schema(");
    engine_sql_paths(&sql, &path, 1);
    buf_addc(&sql, ')');
    enum assay_code rc = engine_query(engine, buf_str(&sql), SIZE_MAX, arena, &s->elements, err);
    if (rc) goto done;
    buf_clear(&sql);
    buf_addz(&sql, "SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ");
    engine_sql_parquet(&sql, &path, 1, "");
    buf_addc(&sql, ')');
    rc = engine_query(engine, buf_str(&sql), SIZE_MAX, arena, &s->columns, err);
done:
    buf_free(&sql);
    return rc;
}

/** Why an element of the Parquet schema cannot be taken, or NULL; what to ask for in its place. */
static const char *find_obstacle(const struct schema *s, size_t row, const char **next) {
    enum { DIGITS_MAX = 38 };
    struct str logical = element(s, row, SCHEMA_LOGICAL), converted = element(s, row, SCHEMA_CONVERTED);
    bool is_zoned = str_starts(logical, STR("TimestampType(isAdjustedToUTC=1"));
    if (str_starts(logical, STR("TimeType")) || str_starts(converted, STR("TIME_M")))
        return "holds times of day, which no Delta table has";
    if (str_eq(converted, STR("INTERVAL"))) return "holds intervals, which no Delta table has";
    if (is_zoned && str_find(logical, STR("NANOS=NanoSeconds")) != SIZE_MAX) {
        *next = "ask the source for microseconds (pandas, pyarrow: coerce_timestamps='us', which fails where a digit "
                "would be lost)";
        return "holds timestamps in nanoseconds with a zone, of which the engine would cut digits";
    }
    if (engine_cell_int(engine_cell_at(&s->elements, row, SCHEMA_PRECISION), 0) > DIGITS_MAX)
        return "holds decimals of more than 38 digits, which no Delta table has";
    return NULL;
}

/** Elements of the tree at `row`, itself included; what it finds on the way. */
static enum assay_code walk_column(const struct schema *s, size_t row, size_t *size, bool *is_instant,
                                   struct assay_error *err) {
    int64_t open = 1;
    struct str name = element(s, row, SCHEMA_NAME);
    size_t at = row;
    for (; open > 0 && at < s->elements.row_count; at++) {
        open += engine_cell_int(engine_cell_at(&s->elements, at, SCHEMA_CHILDREN), 0) - 1;
        *is_instant |= str_eq(element(s, at, SCHEMA_TYPE), STR("INT96"));
        const char *next = "ask the source for it as text, or without it", *obstacle = find_obstacle(s, at, &next);
        if (obstacle) return refuse(s->file, name, obstacle, next, err);
    }
    *size = at - row;
    return ASSAY_OK;
}

static enum assay_code take_type(const struct schema *s, size_t column, bool is_instant, struct arena *arena,
                                 struct parquet_field *out, struct assay_error *err) {
    struct str text = engine_cell_at(&s->columns, column, 1)->text, refused;
    struct buf json = {0};
    out->is_nanos = str_eq(text, STR("TIMESTAMP_NS"));
    if (out->is_nanos) text = STR("TIMESTAMP");
    bool is_taken = parquet_type_delta(text, is_instant, &json, &refused);
    out->type_json = str_copy(arena, buf_str(&json));
    buf_free(&json);
    if (is_taken) return ASSAY_OK;
    struct str what = str_printf(arena, "is of the type %.*s, which no Delta table has (%.*s)",
                                 STR_ARG(str_sub(text, 0, 100)), STR_ARG(str_sub(refused, 0, 100)));
    return refuse(s->file, out->name, what.ptr, "ask the source for another type, or without it", err);
}

static enum assay_code check_name(const struct schema *s, size_t column, const struct parquet_field *fields,
                                  struct assay_error *err) {
    static const char next[] = "ask the source for another name";
    struct str name = fields[column].name;
    const char *fault = column_name_fault(name);
    if (!fault && str_eq_nocase(name, STR("file_row_number"))) fault = "is a word of the engine";
    if (fault) {
        struct buf what = {0};
        buf_printf(&what, "has a name that %s", fault);
        enum assay_code rc = refuse(s->file, name, what.data, next, err);
        buf_free(&what);
        return rc;
    }
    for (size_t i = 0; i < column; i++)
        if (str_eq_nocase(fields[i].name, name))
            return refuse(s->file, name, "is there twice, if the case of letters is left aside", next, err);
    return ASSAY_OK;
}

/** One file's columns. */
static enum assay_code read_fields(struct engine *engine, const struct bronze_file *file, struct arena *arena,
                                   struct parquet_field **out, size_t *count, struct assay_error *err) {
    struct schema s;
    TRY(check_magic(file, err));
    enum assay_code rc = read_schema(engine, file, arena, &s, err);
    if (rc == ASSAY_CORRUPT || rc == ASSAY_INTERNAL)
        return refuse_file(file, "the file's description of itself cannot be read: it is damaged",
                           "ask the source to send it again", err);
    if (rc) return rc;
    *count = s.columns.row_count;
    *out = ARENA_ARRAY(arena, *count, struct parquet_field);
    size_t row = 1, size = 0;
    for (size_t i = 0; i < *count; i++, row += size) {
        struct parquet_field *f = &(*out)[i];
        bool is_instant = false;
        if (row >= s.elements.row_count)
            return refuse_file(file, "the file's description of itself has fewer columns than it says",
                               "ask the source to send it again", err);
        f->name = element(&s, row, SCHEMA_NAME);
        TRY(check_name(&s, i, *out, err));
        TRY(walk_column(&s, row, &size, &is_instant, err));
        TRY(take_type(&s, i, is_instant, arena, f, err));
        if (str_starts(element(&s, row, SCHEMA_LOGICAL), STR("NullType"))) f->type_json = (struct str){0};
    }
    return ASSAY_OK;
}

/* ---- the columns of all files ---- */

/** The batch's column of this name; a new one if there is none. */
static size_t find_or_add(struct parquet_batch *b, size_t likely, struct str name) {
    if (likely < b->column_count && str_eq_nocase(b->columns[likely].name, name)) return likely;
    for (size_t i = 0; i < b->column_count; i++)
        if (str_eq_nocase(b->columns[i].name, name)) return i;
    b->columns[b->column_count] = (struct parquet_column){.name = name};
    return b->column_count++;
}

static enum assay_code join_field(struct parquet_batch *b, size_t file, const struct parquet_field *field,
                                  struct arena *arena, struct assay_error *err) {
    struct parquet_column *column = &b->columns[field->column];
    struct str joined = parquet_type_join(column->type_json, field->type_json, arena);
    if (!joined.ptr && column->type_json.len && field->type_json.len) {
        struct str what = str_printf(arena, "is %.*s here and %.*s in %.*s, and no type holds both",
                                     STR_ARG(field->type_json), STR_ARG(column->type_json), STR_ARG(column->file));
        return refuse(&b->files[file], field->name, what.ptr, "ask the source for one type", err);
    }
    if (!str_eq(joined, column->type_json)) column->file = b->files[file].key;
    column->type_json = joined;
    return ASSAY_OK;
}

/** Invariant 2. */
static enum assay_code check_nanos(struct engine *engine, const struct bronze_file *file,
                                   const struct parquet_field *field, struct arena *arena, struct assay_error *err) {
    struct str path = str_of(file->path);
    struct engine_result r;
    struct buf sql = {0};
    buf_addz(&sql, "SELECT min(file_row_number) + 1 FROM ");
    engine_sql_parquet(&sql, &path, 1, "file_row_number=true");
    buf_addz(&sql, " WHERE epoch_ns(");
    engine_sql_name(&sql, field->name);
    buf_addz(&sql, ") % 1000 <> 0");
    enum assay_code rc = engine_query(engine, buf_str(&sql), 1, arena, &r, err);
    buf_free(&sql);
    if (rc) return rc;
    int64_t row = engine_cell_int(engine_cell_at(&r, 0, 0), 0);
    if (row == 0) return ASSAY_OK;
    struct str what =
        str_printf(arena, "holds nanoseconds (first in row %lld), and a Delta table has microseconds", (long long)row);
    return refuse(file, field->name, what.ptr, "ask the source for microseconds", err);
}

enum assay_code parquet_open(struct engine *engine, const struct bronze_file *files, size_t count, struct arena *arena,
                             struct parquet_batch *out, struct assay_error *err) {
    size_t all = 0;
    *out = (struct parquet_batch){.files = files, .file_count = count};
    out->fields = ARENA_ARRAY(arena, count, struct parquet_field *);
    out->field_counts = ARENA_ARRAY(arena, count, size_t);
    for (size_t i = 0; i < count; i++) {
        TRY(read_fields(engine, &files[i], arena, &out->fields[i], &out->field_counts[i], err));
        all += out->field_counts[i];
    }
    out->columns = ARENA_ARRAY(arena, all, struct parquet_column);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < out->field_counts[i]; k++) {
            struct parquet_field *field = &out->fields[i][k];
            field->column = find_or_add(out, k, field->name);
            TRY(join_field(out, i, field, arena, err));
        }
    }
    return ASSAY_OK;
}

enum assay_code parquet_check_values(struct engine *engine, const struct parquet_batch *batch, struct arena *arena,
                                     struct assay_error *err) {
    for (size_t i = 0; i < batch->file_count; i++)
        for (size_t k = 0; k < batch->field_counts[i]; k++)
            if (batch->fields[i][k].is_nanos)
                TRY(check_nanos(engine, &batch->files[i], &batch->fields[i][k], arena, err));
    return ASSAY_OK;
}

/* ---- rows ---- */

/** The value in the batch's type, where a cast can say it; of nested ones the table's type decides later. */
static void print_value(const struct parquet_batch *b, const struct parquet_field *field, struct buf *sql) {
    struct str json = b->columns[field->column].type_json;
    struct type type;
    bool is_primitive = json.len > 2 && json.ptr[0] == '"' && type_parse_delta(str_sub(json, 1, json.len - 1), &type);
    if (is_primitive) buf_addz(sql, "CAST(");
    if (field->type_json.len)
        engine_sql_name(sql, field->name);
    else
        buf_addz(sql, "NULL");
    if (!is_primitive) return;
    buf_addz(sql, " AS ");
    type_print_engine(sql, type);
    buf_addc(sql, ')');
}

static void print_file(const struct parquet_batch *b, size_t i, struct buf *sql) {
    struct str path = str_of(b->files[i].path);
    buf_addz(sql, "SELECT ");
    for (size_t k = 0; k < b->field_counts[i]; k++) {
        const struct parquet_field *field = &b->fields[i][k];
        if (b->columns[field->column].type_json.len == 0) continue; /* nothing but nulls */
        print_value(b, field, sql);
        buf_addz(sql, " AS ");
        engine_sql_name(sql, b->columns[field->column].name);
        buf_addz(sql, ", ");
    }
    engine_sql_text(sql, b->files[i].key);
    buf_addz(sql, " AS \"" LINEAGE_SOURCE_FILE "\", CAST(file_row_number + 1 AS BIGINT) AS \"" LINEAGE_SOURCE_LINE
                  "\" FROM ");
    engine_sql_parquet(sql, &path, 1, "file_row_number=true");
}

void parquet_rows_sql(const struct parquet_batch *batch, struct buf *sql) {
    for (size_t i = 0; i < batch->file_count; i++) {
        if (i) buf_addz(sql, " UNION ALL BY NAME ");
        print_file(batch, i, sql);
    }
}

enum assay_code parquet_blame(struct engine *engine, const struct parquet_batch *batch, enum assay_code rc,
                              struct assay_error *err) {
    if (rc != ASSAY_CORRUPT && rc != ASSAY_INTERNAL) return rc;
    for (size_t i = 0; i < batch->file_count; i++) {
        struct arena arena = {0};
        struct engine_result r;
        struct assay_error found = {0};
        struct str path = str_of(batch->files[i].path);
        struct buf sql = {0};
        buf_addz(&sql, "SELECT max(hash(t)) FROM ");
        engine_sql_parquet(&sql, &path, 1, "");
        buf_addz(&sql, " t");
        enum assay_code one = engine_query(engine, buf_str(&sql), 1, &arena, &r, &found);
        buf_free(&sql);
        arena_reset(&arena);
        if (one == ASSAY_OK) continue;
        return error_set(
            err, one == ASSAY_CORRUPT || one == ASSAY_INTERNAL ? ASSAY_REFUSED : one, batch->files[i].key.ptr,
            "the file is damaged: %s\nno row of the batch was loaded\nnext: ask the source to send it again",
            found.message);
    }
    return rc;
}
