# The libraries of others, each wrapped by one module: assay_base_libraries and duckdb.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(BASE_LIBRARIES REQUIRED IMPORTED_TARGET jansson yaml-0.1 libpcre2-8 libcrypto zlib libzstd)
find_library(UNISTRING_LIBRARY unistring REQUIRED)
find_path(UNISTRING_INCLUDE_DIR unicase.h REQUIRED)

add_library(assay_base_libraries INTERFACE)
target_link_libraries(assay_base_libraries INTERFACE PkgConfig::BASE_LIBRARIES ${UNISTRING_LIBRARY} Threads::Threads m)
target_include_directories(assay_base_libraries SYSTEM INTERFACE ${UNISTRING_INCLUDE_DIR})

# libduckdb: DUCKDB_ROOT (option or environment), else what tools/setup.sh fetched. It is one folder with lib/ and include/,
# or flat as DuckDB's own archives are.
set(DUCKDB_ROOT "$ENV{DUCKDB_ROOT}" CACHE PATH "Folder of libduckdb.so and duckdb.h; empty: .deps/duckdb")
set(duckdb_places ${DUCKDB_ROOT} ${PROJECT_SOURCE_DIR}/.deps/duckdb)
find_library(DUCKDB_LIBRARY duckdb PATHS ${duckdb_places} PATH_SUFFIXES lib NO_DEFAULT_PATH)
find_path(DUCKDB_INCLUDE_DIR duckdb.h PATHS ${duckdb_places} PATH_SUFFIXES include NO_DEFAULT_PATH)
if(NOT DUCKDB_LIBRARY OR NOT DUCKDB_INCLUDE_DIR)
    message(FATAL_ERROR "libduckdb is missing: run tools/setup.sh build, or set DUCKDB_ROOT")
endif()

add_library(duckdb SHARED IMPORTED)
set_target_properties(duckdb PROPERTIES
    IMPORTED_LOCATION ${DUCKDB_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${DUCKDB_INCLUDE_DIR})
