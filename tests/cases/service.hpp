// The service as a case meets it: both programs in this process, on a database and rings of their
// own, with the real templates. Which program a path belongs to is read from deploy/nginx.
#pragma once

#include "app/dispatch.hpp"
#include "base/config.hpp"
#include "base/ids.hpp"
#include "execute/services.hpp"
#include "manage/services.hpp"
#include "site.hpp"
#include "store/test_database.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <vector>

namespace usershell::test {

/// What all services of a program share: the database, the rings, and a port that is taken and
/// silent.
class Ground {
public:
    Ground();
    ~Ground();
    Ground(const Ground&) = delete;
    Ground& operator=(const Ground&) = delete;

    const TestDatabase& database() const { return database_; }
    std::string ring(const std::string& name) const { return (folder_ / name).string(); }
    /// 127.0.0.1 and the port: bound, so that nobody else takes it, and never listened on.
    const std::string& closed_address() const { return closed_address_; }

private:
    TestDatabase database_;
    std::filesystem::path folder_;
    int socket_ = -1;
    std::string closed_address_;
};

class Service : public Site {
public:
    /// `settings`: name=value rows over the usual ones.
    Service(const Ground& ground, const std::vector<std::string>& settings);
    ~Service() override;
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    web::Response serve(const web::Request& request) override;
    std::string origin() const override { return settings_.manage.base_url; }
    std::string closed_address() const override { return ground_.closed_address(); }
    void add_user(const std::string& email, const std::string& name,
                  const std::string& password) override;
    void hold_calls(const std::string& email, int count) override;
    void sql(const std::string& statement) override;

private:
    struct WingSettings {
        Settings manage;
        Settings execute;
    };
    static WingSettings wing_settings(const Ground& ground, const std::vector<std::string>& rows);

    const Ground& ground_;
    WingSettings settings_;
    manage::Services manage_;
    execute::Services execute_;
    app::Dispatch manage_dispatch_;
    app::Dispatch execute_dispatch_;
    std::regex execute_paths_;
    std::map<std::string, UserId> people_;
};

} // namespace usershell::test
