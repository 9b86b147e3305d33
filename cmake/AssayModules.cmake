# Every module of layers.txt becomes assay_<module>, a static library that links the modules it may include, so that a unit
# test links only what its module needs. A folder without .c files is skipped.
#
# Sets ASSAY_MODULES (those that exist) and ASSAY_OBJECTS (all object files but those of cli).
file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/layers.txt layer_lines REGEX "^[a-z]+:")
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/layers.txt)

function(assay_add_module module below)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${module}/*.c)
    if(NOT sources)
        return()
    endif()

    set(links)
    if(module STREQUAL base)
        list(APPEND links assay_base_libraries)
    elseif(module STREQUAL engine)
        list(APPEND links duckdb)
    endif()
    foreach(other IN LISTS below)
        if(TARGET assay_${other})
            list(APPEND links assay_${other})
        endif()
    endforeach()

    add_library(assay_${module}_objects OBJECT ${sources})
    set_target_properties(assay_${module}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(assay_${module}_objects PRIVATE assay_flags ${links})

    add_library(assay_${module} STATIC $<TARGET_OBJECTS:assay_${module}_objects>)
    set_target_properties(assay_${module} PROPERTIES LINKER_LANGUAGE C)
    target_link_libraries(assay_${module} PUBLIC ${links})

    set(ASSAY_MODULES ${ASSAY_MODULES} ${module} PARENT_SCOPE)
    if(NOT module STREQUAL cli)
        set(ASSAY_OBJECTS ${ASSAY_OBJECTS} $<TARGET_OBJECTS:assay_${module}_objects> PARENT_SCOPE)
    endif()
endfunction()

set(ASSAY_MODULES)
set(ASSAY_OBJECTS)
foreach(line IN LISTS layer_lines)
    string(REGEX MATCH "^([a-z]+):(.*)$" matched "${line}")
    set(module ${CMAKE_MATCH_1})
    string(STRIP "${CMAKE_MATCH_2}" below)
    string(REPLACE " " ";" below "${below}")
    assay_add_module(${module} "${below}")
endforeach()
