#include "store/test_database.hpp"
#include "crypto/token.hpp"
#include "store/migrations/migrate.hpp"
#include <cstdlib>
#include <iostream>
namespace usershell::test {
namespace {
std::string from_environment(const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr) throw std::runtime_error{std::string{name} + " is not set."};
    return value;
}
void psql(const std::string& words) {
    const std::string command = "psql -XqAt -d postgres -v ON_ERROR_STOP=1 " + words;
    if (std::system(command.c_str()) != 0) // NOLINT(cert-env33-c)
        throw std::runtime_error{"psql failed."};
}
std::string random_name() {
    std::string name = "usershell_" + crypto::random_uuid();
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}
} // namespace
TestDatabase::TestDatabase(Schema schema) : name_{random_name()} {
    psql("-v database=" + name_ + " -f '" USERSHELL_SOURCE_DIR "/sql/roles.sql'");
    if (schema == Schema::migrated) store::migrate(as_owner());
}
TestDatabase::~TestDatabase() {
    try {
        psql("-c 'DROP DATABASE " + name_ + " WITH (FORCE)'");
    } catch (const std::exception& error) {
        std::cerr << "The test database stays: " << error.what() << '\n';
    }
}
std::string TestDatabase::as_superuser() const { return as(from_environment("PGUSER")); }
std::string TestDatabase::as(const std::string& role) const {
    return "host=" + from_environment("PGHOST") + " dbname=" + name_ + " user=" + role;
}
} // namespace usershell::test
