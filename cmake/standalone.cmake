# The guard runtime that `snag guard build` copies into programs: a module of its own, without any library
# and without any relocation.
file(GLOB standalone CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/standalone/*.c
     ${PROJECT_SOURCE_DIR}/src/standalone/*.S)
add_library(snag-standalone MODULE ${standalone} ${PROJECT_SOURCE_DIR}/src/core/sys.c
            ${PROJECT_SOURCE_DIR}/src/engine/guard/tasks.c
            ${PROJECT_SOURCE_DIR}/src/runtime/tsan_atomic.c)
target_include_directories(snag-standalone PRIVATE ${PROJECT_SOURCE_DIR}/src/standalone
                           ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/src/engine/none)
target_compile_options(snag-standalone PRIVATE -ffreestanding -fPIC -fno-stack-protector
                       -fomit-frame-pointer -mgeneral-regs-only -fno-tree-loop-distribute-patterns
                       -fcf-protection=none -fno-asynchronous-unwind-tables)
target_compile_definitions(snag-standalone PRIVATE _GNU_SOURCE)
target_link_options(snag-standalone PRIVATE -nostdlib -Wl,-Bsymbolic -Wl,-z,norelro
                    -Wl,-z,separate-code -Wl,--no-undefined -Wl,--build-id=none)
set_target_properties(snag-standalone PROPERTIES PREFIX "" OUTPUT_NAME snag-guard SUFFIX ".module"
                      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
