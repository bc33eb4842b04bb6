# __cxa_demangle() turns C++ linkage names into the names that people write.
target_link_libraries(snag-command PUBLIC stdc++)
