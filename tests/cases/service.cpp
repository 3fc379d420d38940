#include "service.hpp"

#include "crypto/ring.hpp"
#include "crypto/token.hpp"
#include "execute/routes.hpp"
#include "manage/routes.hpp"
#include "manage/sign_in/anonymous.hpp"
#include "store/execution.hpp"
#include "store/users.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include <netinet/in.h>
#include <pqxx/pqxx>
#include <sys/socket.h>
#include <unistd.h>

namespace usershell::test {

namespace {

constexpr const char* source = USERSHELL_SOURCE_DIR;
constexpr const char* own_origin = "https://localhost:8443";

std::filesystem::path new_folder() {
    std::string path = (std::filesystem::temp_directory_path() / "usershell-cases-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) throw std::system_error{errno, std::generic_category()};
    return path;
}

/// The regular expression of the location that nginx sends to the executing program.
std::regex execute_paths() {
    std::ifstream file{std::string{source} + "/deploy/nginx/snippets/server.conf"};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    static const std::regex location{R"(\nlocation ~ (\S+) \{[^}]*usershell_execute;)"};
    std::smatch found;
    if (!std::regex_search(text, found, location))
        throw std::runtime_error{"deploy/nginx sends nothing to the executing wing."};
    return std::regex{found[1].str()};
}

/// What a handler streams, as one answer.
class RecordingStream : public web::Stream {
public:
    void begin(const web::Response& head) override { recorded = head; }
    bool write(std::string_view bytes) override {
        recorded.body += bytes;
        return true;
    }
    int gone_fd() const override { return -1; }

    web::Response recorded;
};

Settings read(const std::vector<std::string>& rows) {
    std::vector<std::string> words{"case_tests"};
    words.reserve(rows.size() + 1);
    for (const std::string& row : rows) words.push_back("--" + row);
    std::vector<const char*> arguments;
    arguments.reserve(words.size());
    for (const std::string& word : words) arguments.push_back(word.c_str());
    return read_settings(static_cast<int>(arguments.size()), arguments.data()).settings;
}

app::Guard manage_guard(const manage::Services& manage) {
    return app::Guard{manage.settings.base_url, [&manage](const web::Request& request) {
                          return manage::anonymous_antiforgery_key(manage.web_ring, request);
                      }};
}

} // namespace

Ground::Ground()
    : folder_{new_folder()},
      socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    crypto::create_rings(folder_);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address); // NOLINT: the sockets' own idiom
    if (::bind(socket_, plain, size) != 0 || ::getsockname(socket_, plain, &size) != 0)
        throw std::system_error{errno, std::generic_category()};
    closed_address_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

Ground::~Ground() {
    ::close(socket_);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

Service::WingSettings Service::wing_settings(const Ground& ground,
                                             const std::vector<std::string>& rows) {
    std::vector<std::string> common{
        std::string{"base-url="} + own_origin, std::string{"templates="} + source + "/templates",
        "egress-allow=" + ground.closed_address(), "password-opslimit=1", "password-memlimit=8192"};
    common.insert(common.end(), rows.begin(), rows.end());
    auto manage = common;
    manage.insert(manage.end(), {"database=" + ground.database().as_manage(),
                                 "vault-public=" + ground.ring("vault.public"),
                                 "web-secret=" + ground.ring("web.secret")});
    auto execute = common;
    execute.insert(execute.end(), {"database=" + ground.database().as_execute(),
                                   "vault-secret=" + ground.ring("vault.secret"),
                                   "web-public=" + ground.ring("web.public")});
    return {read(manage), read(execute)};
}

Service::Service(const Ground& ground, const std::vector<std::string>& settings)
    : ground_{ground},
      settings_{wing_settings(ground, settings)},
      manage_{settings_.manage},
      execute_{settings_.execute},
      manage_dispatch_{manage_.database, manage_guard(manage_), manage::manage_routes(manage_),
                       &manage_.pages},
      execute_dispatch_{execute_.database, app::Guard{settings_.execute.base_url},
                        execute::execute_routes(execute_), nullptr},
      execute_paths_{execute_paths()} {
    manage_.database.require_schema();
    execute_.database.require_schema();
}

Service::~Service() = default;

web::Response Service::serve(const web::Request& request) {
    const bool executes = std::regex_match(request.path, execute_paths_);
    RecordingStream stream;
    web::Response response =
        (executes ? execute_dispatch_ : manage_dispatch_).serve(request, stream);
    return response.streamed ? stream.recorded : response;
}

void Service::add_user(const std::string& email, const std::string& name,
                       const std::string& password) {
    store::Database owner{ground_.database().as_owner(), 1};
    store::Lease lease{owner};
    const auto id = crypto::random_id<UserId>();
    store::add_user(lease, id, parse_email(email).value(), name, manage_.passwords.hash(password));
    people_.emplace(email, id);
}

void Service::hold_calls(const std::string& email, int count) {
    const UserId& user = people_.at(email);
    store::Lease lease{execute_.database};
    lease.act_as(user);
    for (int i = 0; i < count; ++i) {
        if (!store::take_call_slot(lease, user))
            throw std::runtime_error{"There is no place for so many calls."};
    }
}

void Service::sql(const std::string& statement) {
    pqxx::connection connection{ground_.database().as_superuser()};
    pqxx::nontransaction work{connection};
    work.exec(statement);
}

} // namespace usershell::test
