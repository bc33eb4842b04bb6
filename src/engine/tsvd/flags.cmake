# The fast half of a call under a contract runs before the vector registers are saved.
set_source_files_properties(
  ${PROJECT_SOURCE_DIR}/src/engine/tsvd/point.c ${PROJECT_SOURCE_DIR}/src/engine/tsvd/pair.c
  ${PROJECT_SOURCE_DIR}/src/engine/tsvd/object.c ${PROJECT_SOURCE_DIR}/src/engine/tsvd/trap.c
  ${PROJECT_SOURCE_DIR}/src/engine/tsvd/clock.c ${PROJECT_SOURCE_DIR}/src/core/clock_tree.c
  ${PROJECT_SOURCE_DIR}/src/engine/tsvd/fact.c ${PROJECT_SOURCE_DIR}/src/runtime/stack_cache.c
  ${PROJECT_SOURCE_DIR}/src/core/spin.c
  ${PROJECT_SOURCE_DIR}/src/core/sys.c ${PROJECT_SOURCE_DIR}/src/core/count.c
  PROPERTIES COMPILE_OPTIONS -mgeneral-regs-only)
