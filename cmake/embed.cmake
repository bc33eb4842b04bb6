# embed.cmake: writes -DOUT=FILE.c with the text of DIR/page.css and DIR/page.js as C strings.
set(text "/* made by cmake/embed.cmake */\n")
foreach(name css js)
  file(READ ${DIR}/page.${name} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND text "extern const char sn_page_${name}[];\nconst char sn_page_${name}[] = {${bytes}0};\n")
endforeach()
file(WRITE ${OUT} "${text}")
