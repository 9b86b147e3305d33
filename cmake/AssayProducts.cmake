# What is installed: libassay (shared and static), the program assay over it, libduckdb beside them, the public headers.
set(map ${PROJECT_SOURCE_DIR}/cmake/assay.map)
set(engine_library)
if(TARGET assay_engine)
    set(engine_library duckdb)
endif()

if(ASSAY_OBJECTS)
    add_library(assay_static STATIC ${ASSAY_OBJECTS})
    add_library(assay_shared SHARED ${ASSAY_OBJECTS})
    foreach(kind static shared)
        set_target_properties(assay_${kind} PROPERTIES OUTPUT_NAME assay LINKER_LANGUAGE C)
        target_include_directories(assay_${kind} INTERFACE
            $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
    endforeach()
    target_link_libraries(assay_static INTERFACE assay_base_libraries ${engine_library})
    target_link_libraries(assay_shared PRIVATE assay_flags assay_base_libraries ${engine_library})
    target_link_options(assay_shared PRIVATE -Wl,--version-script=${map} -Wl,--no-undefined)
    set_target_properties(assay_shared PROPERTIES
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS ${map} INSTALL_RPATH "$ORIGIN")
    if(ASSAY_SANITIZE) # clang leaves the sanitizer's own symbols to the program
        set_property(TARGET assay_shared PROPERTY LINK_OPTIONS -Wl,--version-script=${map})
    endif()
    install(TARGETS assay_static assay_shared)
    install(DIRECTORY include/assay TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
endif()

if(TARGET assay_cli)
    add_executable(assay $<TARGET_OBJECTS:assay_cli_objects>)
    set_target_properties(assay PROPERTIES LINKER_LANGUAGE C INSTALL_RPATH "$ORIGIN/../lib")
    target_link_libraries(assay PRIVATE assay_flags assay_static)
    install(TARGETS assay)
endif()

file(REAL_PATH ${DUCKDB_LIBRARY} duckdb_file)
install(PROGRAMS ${duckdb_file} DESTINATION lib RENAME libduckdb.so)

add_custom_target(products)
foreach(product assay_static assay_shared assay)
    if(TARGET ${product})
        add_dependencies(products ${product})
    endif()
endforeach()
