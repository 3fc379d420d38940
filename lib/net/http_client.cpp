#include "net/http_client.hpp"

#include "net/connection_pool.hpp"
#include "net/egress_guard.hpp"
#include "net/transfer.hpp"

namespace usershell::net {

struct HttpClient::Parts {
    Parts(EgressPolicy policy, std::string file)
        : egress{std::move(policy)},
          ca_file{std::move(file)} {}

    EgressGuard egress;
    std::string ca_file;
    ConnectionPool connections;
};

HttpClient::HttpClient(EgressPolicy policy, std::string ca_file)
    : parts_{std::make_unique<Parts>(std::move(policy), std::move(ca_file))} {}

HttpClient::~HttpClient() = default;

HttpResult HttpClient::perform(const HttpRequest& request, const HttpControl& control) {
    Transfer transfer{parts_->egress, request, control};
    return transfer.run(parts_->connections, parts_->ca_file);
}

} // namespace usershell::net
