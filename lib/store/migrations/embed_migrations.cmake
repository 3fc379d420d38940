# cmake -DFOLDER=<sql/> -DOUTPUT=<file.cpp> -P embed_migrations.cmake
# Writes the schema of a folder as C++: its migrations, in order, with name, SHA-256, oldest program and text, and rights.sql.
# The first line of a migration names the oldest version of the programs that can run on it.
file(GLOB files "${FOLDER}/[0-9][0-9][0-9][0-9]_*.sql")
list(SORT files)

# The text of a file, which must fit into a raw string.
function(read_script path result)
  file(READ "${path}" text)
  string(FIND "${text}" ")script\"" at)
  if(NOT at EQUAL -1)
    message(FATAL_ERROR "${path} contains the end of a raw string.")
  endif()
  set(${result} "R\"script(${text})script\"" PARENT_SCOPE)
endfunction()

set(rows "")
foreach(path IN LISTS files)
  get_filename_component(name "${path}" NAME_WE)
  file(SHA256 "${path}" checksum)
  read_script("${path}" text)
  if(NOT text MATCHES "^R\"script\\(-- Oldest program that can run on it: ([0-9]+\\.[0-9]+\\.[0-9]+)\n")
    message(FATAL_ERROR "${path} must begin with '-- Oldest program that can run on it: VERSION'.")
  endif()
  string(APPEND rows "    Migration{\"${name}\", \"${checksum}\", \"${CMAKE_MATCH_1}\", ${text}},\n")
endforeach()
read_script("${FOLDER}/rights.sql" rights)

file(WRITE "${OUTPUT}" "// Generated from sql/.
#include \"store/migrations/migrate.hpp\"

#include <array>

namespace usershell::store {

std::span<const Migration> migrations() {
    static constexpr std::array all{
${rows}    };
    return all;
}

std::string_view rights() {
    return ${rights};
}

} // namespace usershell::store
")
