# assay_flags: how every file of ours is compiled. Linked privately by every target.
add_library(assay_flags INTERFACE)

target_include_directories(assay_flags INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_compile_definitions(assay_flags INTERFACE _GNU_SOURCE ASSAY_VERSION="${PROJECT_VERSION}")
target_compile_options(assay_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wcast-qual -Wformat=2
    -Wundef -Wvla -Wwrite-strings -Wimplicit-fallthrough -fvisibility=hidden -fno-omit-frame-pointer)
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
    # snprintf into a message that may be cut is what we mean
    target_compile_options(assay_flags INTERFACE -Wno-format-truncation)
endif()
if(ASSAY_WERROR)
    target_compile_options(assay_flags INTERFACE -Werror)
endif()

if(ASSAY_HARDEN)
    target_compile_options(assay_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong)
    target_link_options(assay_flags INTERFACE -Wl,-z,relro,-z,now)
endif()
if(ASSAY_SANITIZE)
    set(sanitize -fsanitize=${ASSAY_SANITIZE} -fno-sanitize-recover=all)
    target_compile_options(assay_flags INTERFACE ${sanitize})
    target_link_options(assay_flags INTERFACE ${sanitize})
endif()
if(ASSAY_COVERAGE)
    target_compile_options(assay_flags INTERFACE --coverage)
    target_link_options(assay_flags INTERFACE --coverage)
endif()
