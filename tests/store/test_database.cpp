#include "store/test_database.hpp"
#include "crypto/token.hpp"
#include "store/database/migrate.hpp"
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace usershell::test {
namespace {
std::string from_environment(const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr) throw std::runtime_error{std::string{name} + " is not set."};
    return value;
}

void psql(std::vector<std::string> words) {
    words.insert(words.begin(), {"psql", "-XqAt", "-d", "postgres", "-v", "ON_ERROR_STOP=1"});
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t child = 0;
    if (posix_spawnp(&child, "psql", nullptr, nullptr, arguments.data(), environ) != 0) {
        throw std::runtime_error{"psql can't be started."};
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0)
        throw std::runtime_error{"psql failed."};
}

std::string random_name() {
    std::string name = "usershell_" + crypto::random_uuid();
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}
} // namespace
TestDatabase::TestDatabase(Schema schema) : name_{random_name()} {
    psql({"-v", "database=" + name_, "-f", std::string{USERSHELL_SOURCE_DIR} + "/sql/roles.sql"});
    if (schema == Schema::migrated) store::migrate(as_owner());
}

TestDatabase::~TestDatabase() {
    try {
        psql({"-c", "DROP DATABASE \"" + name_ + "\" WITH (FORCE)"});
    } catch (const std::exception& error) {
        std::cerr << "The test database stays: " << error.what() << '\n';
    }
}

std::string TestDatabase::as_superuser() const { return as(from_environment("PGUSER")); }

std::string TestDatabase::as(const std::string& role) const {
    return "host=" + from_environment("PGHOST") + " dbname=" + name_ + " user=" + role;
}
} // namespace usershell::test
