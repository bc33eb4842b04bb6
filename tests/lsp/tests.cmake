# The language server: by a client of our own, by bytes that make no sense, and by a real editor.
foreach(part session fuzz neovim vscode)
  add_test(NAME lsp.${part} COMMAND ${PROJECT_SOURCE_DIR}/tests/lsp/run.sh ${PROJECT_BINARY_DIR} ${part})
  set_tests_properties(lsp.${part} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900)
endforeach()
