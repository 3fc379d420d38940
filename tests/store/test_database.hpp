// A database with a random name, made with sql/roles.sql and the migrations, dropped at the end.
// Needs PGHOST and a superuser by PGUSER, as tests/harness/with_postgres.py gives them.
#pragma once
#include "tests/unit/test.hpp"
namespace usershell::test {
struct TestDatabase : boost::noncopyable {
    enum class Schema { migrated, empty };
    /// Throws std::runtime_error when it can't be made.
    explicit TestDatabase(Schema schema = Schema::migrated);
    ~TestDatabase();
    const std::string& name() const { return name_; }
    std::string as_owner() const { return as("usershell_owner"); }
    std::string as_auth() const { return as("usershell_auth"); }
    std::string as_manage() const { return as("usershell_manage"); }
    std::string as_execute() const { return as("usershell_execute"); }
    std::string as_mail() const { return as("usershell_mail"); }
    std::string as_superuser() const;
    std::string as(const std::string& role) const;
    std::string name_;
};
} // namespace usershell::test
