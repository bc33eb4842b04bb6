# The trace's encoder runs in the program under test.
set(record_encoder ${PROJECT_SOURCE_DIR}/src/trace/encode.c ${PROJECT_SOURCE_DIR}/src/trace/crc.c)
list(APPEND engine_sources ${record_encoder})
# Calls into code that is not recorded are told before the vector registers are saved.
foreach(source access calls file graph objects order pair)
  list(APPEND record_calls ${PROJECT_SOURCE_DIR}/src/engine/record/${source}.c)
endforeach()
foreach(source ctx slab spin stop sys thread count)
  list(APPEND record_calls ${PROJECT_SOURCE_DIR}/src/core/${source}.c)
endforeach()
list(APPEND record_calls ${PROJECT_SOURCE_DIR}/src/runtime/proc.c)
set_source_files_properties(${record_calls} ${record_encoder} PROPERTIES
  COMPILE_OPTIONS -mgeneral-regs-only)
