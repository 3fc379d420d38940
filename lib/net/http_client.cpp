#include "net/http_client.hpp"

#include "net/transfer.hpp"

#include <array>
#include <mutex>

namespace usershell::net {

namespace {

constexpr long kept_connections = 2; // a thread; each is a descriptor here and at the provider

// Of the thread, not of a client: who uses a kept connection is asked again before every request.
CURLM* connections_of_this_thread() {
    thread_local const MultiHandle multi = [] {
        auto fresh = new_multi();
        curl_multi_setopt(fresh.get(), CURLMOPT_MAXCONNECTS, kept_connections);
        return fresh;
    }();
    return multi.get();
}

} // namespace

struct HttpClient::Shared {
    Shared(EgressPolicy rule, std::string file)
        : policy{std::move(rule)},
          ca_file{std::move(file)} {
        start_curl();
        sessions.reset(curl_share_init());
        if (!sessions) throw std::bad_alloc{};
        curl_share_setopt(sessions.get(), CURLSHOPT_USERDATA, &locks);
        curl_share_setopt(sessions.get(), CURLSHOPT_LOCKFUNC, &Shared::lock);
        curl_share_setopt(sessions.get(), CURLSHOPT_UNLOCKFUNC, &Shared::unlock);
        curl_share_setopt(sessions.get(), CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
        curl_share_setopt(sessions.get(), CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
    }

    using Locks = std::array<std::mutex, CURL_LOCK_DATA_LAST>;
    static void lock(CURL*, curl_lock_data data, curl_lock_access, void* locks) {
        (*static_cast<Locks*>(locks))[data].lock();
    }
    static void unlock(CURL*, curl_lock_data data, void* locks) {
        (*static_cast<Locks*>(locks))[data].unlock();
    }

    EgressPolicy policy;
    std::string ca_file;
    Locks locks;
    ShareHandle sessions; // last: its end takes the locks
};

HttpClient::HttpClient(EgressPolicy policy, std::string ca_file)
    : shared_{std::make_unique<Shared>(std::move(policy), std::move(ca_file))} {}

HttpClient::~HttpClient() = default;

HttpResult HttpClient::perform(const HttpRequest& request, const HttpControl& control) {
    Transfer transfer{shared_->policy, request, control};
    return transfer.run(connections_of_this_thread(), shared_->sessions.get(), shared_->ca_file);
}

} // namespace usershell::net
