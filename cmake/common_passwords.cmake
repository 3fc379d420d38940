# share/common-passwords in the build folder: what the setting common-passwords names when installed.
find_program(USERSHELL_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)
set(common_passwords ${CMAKE_BINARY_DIR}/share/common-passwords)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share)
add_custom_command(OUTPUT ${common_passwords}
  COMMAND /usr/bin/perl ${CMAKE_CURRENT_LIST_DIR}/common_passwords.pl ${common_passwords}
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/common_passwords.pl)
add_custom_target(common_passwords ALL DEPENDS ${common_passwords})
