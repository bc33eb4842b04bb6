# The guard runtime that `snag guard build` copies into programs: a module of its own, without any library
# and without any relocation. One for most programs, one for those with many guarded places (word.h).
file(GLOB standalone CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/standalone/*.c
     ${PROJECT_SOURCE_DIR}/src/standalone/*.S)

function(add_standalone target name)
    add_library(${target} MODULE ${standalone} ${PROJECT_SOURCE_DIR}/src/core/sys.c
                ${PROJECT_SOURCE_DIR}/src/engine/guard/tasks.c
                ${PROJECT_SOURCE_DIR}/src/runtime/proc.c
                ${PROJECT_SOURCE_DIR}/src/runtime/tsan_atomic.c)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src/standalone
                               ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/src/engine/none)
    target_compile_options(${target} PRIVATE -ffreestanding -fPIC -fno-stack-protector
                           -fomit-frame-pointer -mgeneral-regs-only -fno-tree-loop-distribute-patterns
                           -fcf-protection=none -fno-asynchronous-unwind-tables)
    target_compile_definitions(${target} PRIVATE _GNU_SOURCE ${ARGN})
    target_link_options(${target} PRIVATE -nostdlib -Wl,-Bsymbolic -Wl,-z,norelro
                        -Wl,-z,separate-code -Wl,--no-undefined -Wl,--build-id=none)
    set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name} SUFFIX ".module"
                          LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
endfunction()

add_standalone(snag-standalone snag-guard SN_REC_NARROW)
add_standalone(snag-standalone-wide snag-guard-wide)
