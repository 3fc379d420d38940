# Manual pages and the completion, which usershellctl prints: they have every command and setting that it has.
set(manual_pages ${CMAKE_BINARY_DIR}/share/man)
set(completion ${CMAKE_BINARY_DIR}/share/completion/usershellctl)

function(usershell_printed output)
  get_filename_component(folder ${output} DIRECTORY)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND $<TARGET_FILE:usershellctl> ${ARGN} > ${output}
    DEPENDS usershellctl
    VERBATIM)
endfunction()

set(printed ${completion})
usershell_printed(${completion} completion)
foreach(page IN ITEMS usershell-auth.8 usershell-manage.8 usershell-execute.8 usershell-opener.8 usershell-mail.8 usershellctl.1 usershell.conf.5)
  string(REGEX REPLACE "^(.*)\\.([158])$" "\\1;\\2" parts ${page})
  list(GET parts 0 name)
  list(GET parts 1 section)
  usershell_printed(${manual_pages}/man${section}/${page} manual ${name})
  list(APPEND printed ${manual_pages}/man${section}/${page})
endforeach()
add_custom_target(manual ALL DEPENDS ${printed})

install(DIRECTORY ${manual_pages} DESTINATION share)
install(FILES ${completion} DESTINATION share/bash-completion/completions)
