# The trace's encoder runs in the program under test.
list(APPEND engine_sources ${PROJECT_SOURCE_DIR}/src/trace/encode.c
     ${PROJECT_SOURCE_DIR}/src/trace/crc.c)
