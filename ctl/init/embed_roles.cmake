# cmake -DINPUT=<roles.sql> -DOUTPUT=<file.cpp> -P embed_roles.cmake
# Writes it as C++.
file(READ "${INPUT}" text)
file(WRITE "${OUTPUT}" "// Generated from sql/roles.sql.
#include \"ctl/init/administrator.hpp\"

namespace usershell::ctl {

std::string_view roles_sql() {
    return R\"roles(${text})roles\";
}

} // namespace usershell::ctl
")
