#include "net/http_client.hpp"

#include "net/transfer.hpp"

namespace usershell::net {

HttpClient::HttpClient(Loop& loop, EgressPolicy policy, std::string ca_file)
    : parts_{std::make_unique<Parts>(loop, std::move(policy), std::move(ca_file))} {}

HttpClient::~HttpClient() = default;

Task<HttpResult> HttpClient::perform(const HttpRequest& request, const HttpControl& control) {
    co_await parts_->loop.enter();
    Transfer transfer{*parts_, request, control};
    for (;;) {
        switch (co_await transfer.next()) {
        case Transfer::Event::head:
            if (control.on_head) control.on_head(transfer.head());
            break;
        case Transfer::Event::piece:
            transfer.hand_over();
            if (control.has_work && control.has_work()) transfer.worked(co_await control.work());
            if (control.writable) co_await control.writable->wait();
            break;
        case Transfer::Event::tick:
            control.on_tick();
            break;
        case Transfer::Event::end:
            co_return transfer.result();
        }
    }
}

} // namespace usershell::net
