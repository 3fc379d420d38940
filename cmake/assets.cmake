# share/common-passwords in the build folder: what the setting common-passwords names when installed.
find_program(USERSHELL_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)
set(common_passwords ${CMAKE_BINARY_DIR}/share/common-passwords)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share)
add_custom_command(OUTPUT ${common_passwords}
  COMMAND /usr/bin/perl ${CMAKE_CURRENT_LIST_DIR}/common_passwords.pl ${common_passwords}
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/common_passwords.pl)
add_custom_target(common_passwords ALL DEPENDS ${common_passwords})

# share/assets and share/errors in the build folder: what nginx serves; and the source that tells the pages where
# (assets.py). The face of the pages is pressed from Debian's (font.py).
find_file(USERSHELL_FACE NAMES InterVariable.ttf Inter-roman.var.ttf
  PATHS /usr/share/fonts/truetype/inter-vf NO_DEFAULT_PATH REQUIRED)
set(face ${CMAKE_BINARY_DIR}/inter.woff2)
set(outlines ${CMAKE_BINARY_DIR}/outlines.cpp) # of initials
add_custom_command(OUTPUT ${face} ${outlines}
  COMMAND ${USERSHELL_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/font.py ${USERSHELL_FACE} ${face} ${outlines}
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/font.py
  VERBATIM)
set(asset_table ${CMAKE_BINARY_DIR}/asset_table.cpp)
file(GLOB_RECURSE asset_files CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/deploy/nginx/assets/* ${PROJECT_SOURCE_DIR}/deploy/nginx/errors.html
  ${PROJECT_SOURCE_DIR}/templates/* ${PROJECT_SOURCE_DIR}/deploy/nginx/marks.svg)
add_custom_command(OUTPUT ${asset_table}
  COMMAND ${USERSHELL_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/assets.py ${PROJECT_SOURCE_DIR}/deploy/nginx
          ${PROJECT_SOURCE_DIR}/templates/languages ${face} ${CMAKE_BINARY_DIR}/share ${asset_table}
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/assets.py ${face} ${asset_files}
  VERBATIM)
add_custom_target(assets ALL DEPENDS ${asset_table})
