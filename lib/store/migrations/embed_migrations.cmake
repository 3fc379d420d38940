# cmake -DFOLDER=<sql/> -DOUTPUT=<file.cpp> -P embed_migrations.cmake
# Writes the migrations of a folder, in order, as C++: name, SHA-256, oldest program, text.
# The first line of a migration names the oldest version of the programs that can run on it.
file(GLOB files "${FOLDER}/[0-9][0-9][0-9][0-9]_*.sql")
list(SORT files)

set(rows "")
foreach(path IN LISTS files)
  get_filename_component(name "${path}" NAME_WE)
  file(SHA256 "${path}" checksum)
  file(READ "${path}" text)
  if(NOT text MATCHES "^-- Oldest program that can run on it: ([0-9]+\\.[0-9]+\\.[0-9]+)\n")
    message(FATAL_ERROR "${path} must begin with '-- Oldest program that can run on it: VERSION'.")
  endif()
  set(oldest "${CMAKE_MATCH_1}")
  string(FIND "${text}" ")migration\"" at)
  if(NOT at EQUAL -1)
    message(FATAL_ERROR "${path} contains the end of a raw string.")
  endif()
  string(APPEND rows "    Migration{\"${name}\", \"${checksum}\", \"${oldest}\", R\"migration(${text})migration\"},\n")
endforeach()

file(WRITE "${OUTPUT}" "// Generated from sql/.
#include \"store/migrations/migrate.hpp\"

#include <array>

namespace usershell::store {

std::span<const Migration> migrations() {
    static constexpr std::array all{
${rows}    };
    return all;
}

} // namespace usershell::store
")
