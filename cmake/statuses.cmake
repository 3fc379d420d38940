# share/lua/usershell/statuses.lua in the build folder: which statuses nginx passes on of each kind of answer
# (deploy/nginx/lua/usershell/answers.lua), of the table in lib/web/status.hpp.
set(status_table ${PROJECT_SOURCE_DIR}/lib/web/status.hpp)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${status_table})
file(STRINGS ${status_table} rows REGEX "^    {[0-9]+, ")
set(lists "")
foreach(kind IN ITEMS pages calls tools)
  set(numbers "")
  foreach(row IN LISTS rows)
    if(row MATCHES "^    {([0-9]+), .*\"(.* )?${kind}( .*)?\"},$")
      list(APPEND numbers "[${CMAKE_MATCH_1}] = true")
    endif()
  endforeach()
  list(JOIN numbers ", " numbers)
  string(APPEND lists "    ${kind} = { ${numbers} },\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/share/lua/usershell/statuses.lua @ONLY CONTENT
  "-- Made by cmake/statuses.cmake of lib/web/status.hpp.\nreturn {\n@lists@}\n")
