#include "net/transfer.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

namespace usershell::net {

namespace {

constexpr std::size_t header_limit = std::size_t{64} * 1024;
constexpr std::size_t discard_limit =
    std::size_t{256} * 1024; // of a body whose reader has had enough
constexpr std::size_t max_key = 4096;
constexpr auto max_wait = std::chrono::minutes{1};

bool is_line(std::string_view text) {
    return std::ranges::all_of(text, [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
}

bool is_key(std::string_view key) {
    return !key.empty() && key.size() <= max_key &&
           std::ranges::all_of(key, [](unsigned char c) { return c > 0x20 && c < 0x7f; });
}

bool can_be_sent(const HttpRequest& request) {
    const bool lines = std::ranges::all_of(request.headers, [](const auto& header) {
        return is_line(header.first) && is_line(header.second);
    });
    return lines && (request.method == "GET" || request.method == "POST") &&
           (!request.key || (is_line(request.key->name) && is_line(request.key->prefix) &&
                             is_key(request.key->key)));
}

std::optional<std::pair<Address, std::uint16_t>> read_address(const curl_sockaddr& raw) {
    if (raw.family == AF_INET && raw.addrlen >= sizeof(sockaddr_in)) {
        sockaddr_in in{};
        std::memcpy(&in, &raw.addr, sizeof in);
        std::array<std::uint8_t, 4> bytes{};
        std::memcpy(bytes.data(), &in.sin_addr, bytes.size());
        return std::pair{Address::v4(bytes), ntohs(in.sin_port)};
    }
    if (raw.family == AF_INET6 && raw.addrlen >= sizeof(sockaddr_in6)) {
        sockaddr_in6 in{};
        std::memcpy(&in, &raw.addr, sizeof in);
        std::array<std::uint8_t, 16> bytes{};
        std::memcpy(bytes.data(), &in.sin6_addr, bytes.size());
        return std::pair{Address::v6(bytes), ntohs(in.sin6_port)};
    }
    return std::nullopt;
}

struct CodeRow {
    CURLcode code;
    HttpFailure failure;
    std::string_view detail;
};

constexpr auto code_rows = std::to_array<CodeRow>({
    {CURLE_COULDNT_RESOLVE_HOST, HttpFailure::unreachable, "no such host"},
    {CURLE_COULDNT_CONNECT, HttpFailure::unreachable, "connection refused"},
    {CURLE_OPERATION_TIMEDOUT, HttpFailure::timed_out, "connect timed out"},
    {CURLE_SSL_CONNECT_ERROR, HttpFailure::unreachable, "TLS handshake failed"},
    {CURLE_PEER_FAILED_VERIFICATION, HttpFailure::bad_certificate, "certificate not trusted"},
    {CURLE_SSL_CERTPROBLEM, HttpFailure::bad_certificate, "certificate not trusted"},
    {CURLE_SSL_ISSUER_ERROR, HttpFailure::bad_certificate, "certificate not trusted"},
    {CURLE_SSL_CACERT_BADFILE, HttpFailure::bad_certificate,
     "file of trusted certificates unusable"},
    {CURLE_UNSUPPORTED_PROTOCOL, HttpFailure::not_http, "answer is not HTTP"},
    {CURLE_WEIRD_SERVER_REPLY, HttpFailure::not_http, "answer is not HTTP"},
    {CURLE_PARTIAL_FILE, HttpFailure::cut_off, "connection ended inside the answer"},
    // Before the status this is a header line without an end, to libcurl.
    {CURLE_OUT_OF_MEMORY, HttpFailure::too_large, "header line too long"},
    {CURLE_GOT_NOTHING, HttpFailure::unreachable, "connection closed without an answer"},
});

/// A transfer's stay in a multi handle.
class Membership {
public:
    Membership(CURLM* multi, CURL* easy) : multi_{multi}, easy_{easy} {
        if (curl_multi_add_handle(multi_, easy_) != CURLM_OK) throw std::bad_alloc{};
    }
    ~Membership() { curl_multi_remove_handle(multi_, easy_); }
    Membership(const Membership&) = delete;
    Membership& operator=(const Membership&) = delete;

private:
    CURLM* multi_;
    CURL* easy_;
};

std::optional<CURLcode> outcome(CURLM* multi) {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi, &left))
        if (message->msg == CURLMSG_DONE) return message->data.result;
    return std::nullopt;
}

} // namespace

Transfer::Transfer(const EgressPolicy& policy, const HttpRequest& request,
                   const HttpControl& control)
    : policy_{policy},
      request_{request},
      control_{control},
      url_{parse_url(request.url)} {}

HttpResult Transfer::run(CURLM* multi, CURLSH* share, const std::string& ca_file) {
    next_tick_ = start_ + control_.tick;
    if (prepare(share, ca_file)) drive(multi);
    if (thrown_) std::rethrow_exception(thrown_);
    if (!headers_done_) result_.head = {};
    return std::move(result_);
}

bool Transfer::prepare(CURLSH* share, const std::string& ca_file) {
    const bool spoken = url_.scheme == "http" || url_.scheme == "https";
    if (!url_.handle || !spoken || !can_be_sent(request_)) {
        end(HttpFailure::unsendable, "request can't be sent as it is");
    } else if (!Address::parse(url_.host) && !policy_.may_try(url_.host, url_.port)) {
        end(HttpFailure::forbidden_address, "host name not allowed");
    } else {
        set_options(share, ca_file);
        set_request();
    }
    return !ended_;
}

void Transfer::set_options(CURLSH* share, const std::string& ca_file) {
    easy_ = new_easy();
    CURL* const easy = easy_.get();
    set_common_options(easy, ca_file);
    set_option(easy, CURLOPT_SHARE, share);
    set_option(easy, CURLOPT_CURLU, url_.handle.get());
    set_option(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    set_option(easy, CURLOPT_FOLLOWLOCATION, 0L);
    // One transfer a thread leaves nothing to multiplex, and HTTP/2 would cost a window a
    // connection.
    set_option(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set_option(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(control_.limits.connect.count()));
    set_option(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    set_option(easy, CURLOPT_BUFFERSIZE, 8192L);
    set_option(easy, CURLOPT_UPLOAD_BUFFERSIZE, 16384L);
    set_option(easy, CURLOPT_MAXAGE_CONN, 60L);
    set_option(easy, CURLOPT_OPENSOCKETFUNCTION, &Transfer::on_open);
    set_option(easy, CURLOPT_OPENSOCKETDATA, this);
    set_option(easy, CURLOPT_PREREQFUNCTION, &Transfer::on_request);
    set_option(easy, CURLOPT_PREREQDATA, this);
    set_option(easy, CURLOPT_HEADERFUNCTION, &Transfer::on_header);
    set_option(easy, CURLOPT_HEADERDATA, this);
    set_option(easy, CURLOPT_WRITEFUNCTION, &Transfer::on_body);
    set_option(easy, CURLOPT_WRITEDATA, this);
}

void Transfer::set_request() {
    CURL* const easy = easy_.get();
    add_headers();
    set_option(easy, CURLOPT_HTTPHEADER, headers_.get());
    if (request_.method == "GET") {
        set_option(easy, CURLOPT_HTTPGET, 1L);
    } else {
        set_option(easy, CURLOPT_POSTFIELDS, request_.body.data());
        set_option(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                   static_cast<curl_off_t>(request_.body.size()));
    }
}

void Transfer::add_headers() {
    headers_.add("User-Agent: usershell/" USERSHELL_VERSION);
    headers_.add("Expect:");
    std::string line;
    for (const auto& [name, value] : request_.headers) {
        line.assign(name).append(": ").append(value);
        headers_.add(line);
    }
    if (!request_.key) return;
    const auto& key = *request_.key;
    line.reserve(key.name.size() + 2 + key.prefix.size() + key.key.size());
    line.assign(key.name).append(": ").append(key.prefix).append(key.key);
    headers_.add(line);
    wipe_bytes(line);
}

void Transfer::drive(CURLM* multi) {
    const Membership membership{multi, easy_.get()};
    int running = 0;
    while (!ended_ && !thrown_) {
        if (caller_gone()) return end(HttpFailure::cancelled, "caller gone");
        if (curl_multi_perform(multi, &running) != CURLM_OK) throw std::bad_alloc{};
        if (const auto code = outcome(multi)) return end_by_code(*code);
        keep_time();
        if (!ended_ && !thrown_) wait(multi);
    }
}

void Transfer::wait(CURLM* multi) {
    auto until = deadline().when;
    if (control_.on_tick) until = std::min(until, next_tick_);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    const auto bounded = std::clamp<std::chrono::milliseconds>(left, {}, max_wait);
    curl_waitfd caller{control_.cancel_fd, CURL_WAIT_POLLIN, 0};
    curl_multi_poll(multi, &caller, control_.cancel_fd < 0 ? 0 : 1,
                    static_cast<int>(bounded.count()), nullptr);
}

// libcurl tells POLLIN of the extra descriptor only, so that a hang-up must be asked for.
bool Transfer::caller_gone() const {
    if (control_.cancel_fd < 0) return false;
    pollfd caller{control_.cancel_fd, POLLIN | POLLRDHUP, 0};
    return poll(&caller, 1, 0) > 0;
}

void Transfer::keep_time() {
    const auto now = Clock::now();
    if (const auto [when, what] = deadline(); now >= when) {
        end(enough_ ? HttpFailure::stopped : HttpFailure::timed_out, what);
    } else if (control_.on_tick && now >= next_tick_) {
        guarded([&] { control_.on_tick(); });
        next_tick_ = Clock::now() + control_.tick;
    }
}

Transfer::Deadline Transfer::deadline() const {
    const auto& limits = control_.limits;
    Deadline first{start_ + limits.total, "whole time used up"};
    const auto also = [&first](Clock::time_point when, std::string_view what) {
        if (when < first.when) first = {when, what};
    };
    if (!connected_) also(start_ + limits.connect, "connect timed out");
    if (!result_.body_begun)
        also(start_ + limits.first_byte, "first byte timed out");
    else
        also(last_piece_ + limits.silence, "answer fell silent");
    if (enough_) also(last_piece_ + control_.linger, "enough");
    return first;
}

void Transfer::end(HttpFailure failure, std::string_view detail) {
    if (ended_) return;
    ended_ = failure;
    result_.failure = failure;
    result_.detail = detail;
}

void Transfer::end_by_code(CURLcode code) {
    if (enough_) return end(HttpFailure::stopped, "enough");
    if (code == CURLE_OK && headers_done_) return end(HttpFailure::none, {});
    if (code == CURLE_OK || headers_done_)
        return end(HttpFailure::cut_off, "connection ended inside the answer");
    const auto* const row = std::ranges::find(code_rows, code, &CodeRow::code);
    if (row != code_rows.end()) return end(row->failure, row->detail);
    end(HttpFailure::unreachable, "connection lost");
}

/// What a callback throws must not pass through libcurl: it is kept, and thrown when the call is
/// over.
template <class Work>
bool Transfer::guarded(Work&& work) noexcept {
    try {
        work();
        return true;
    } catch (...) {
        thrown_ = std::current_exception();
        return false;
    }
}

// Stricter than one address at a time: once an address of a name is refused, no other one is tried.
bool Transfer::permits(const std::optional<Address>& address, std::uint16_t port) {
    if (ended_) return false;
    if (address && policy_.permits(*address, port, url_.host)) return true;
    end(HttpFailure::forbidden_address, "address not allowed");
    return false;
}

curl_socket_t Transfer::on_open(void* self, curlsocktype, curl_sockaddr* address) {
    auto& transfer = *static_cast<Transfer*>(self);
    bool allowed = false;
    transfer.guarded([&] {
        const auto target = read_address(*address);
        allowed = target ? transfer.permits(target->first, target->second)
                         : transfer.permits(std::nullopt, 0);
    });
    if (!allowed) return CURL_SOCKET_BAD;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

int Transfer::on_request(void* self, char* address, char*, int port, int) {
    auto& transfer = *static_cast<Transfer*>(self);
    bool allowed = false;
    transfer.guarded([&] {
        allowed = transfer.permits(Address::parse(address), static_cast<std::uint16_t>(port));
    });
    transfer.connected_ = true;
    return allowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

std::size_t Transfer::on_header(char* bytes, std::size_t size, std::size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    const std::string_view line{bytes, size * count};
    const bool taken = transfer.guarded([&] { transfer.take_header(line); });
    return taken && !transfer.ended_ ? line.size() : 0;
}

std::size_t Transfer::on_body(char* bytes, std::size_t size, std::size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    const std::string_view piece{bytes, size * count};
    bool taken = false;
    transfer.guarded([&] { taken = transfer.take_body(piece); });
    return taken ? piece.size() : 0;
}

namespace {

std::string_view without_blanks(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const auto first = std::min(text.find_first_not_of(blanks), text.size());
    return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

} // namespace

void Transfer::take_header(std::string_view line) {
    header_bytes_ += line.size();
    if (header_bytes_ > header_limit) return end(HttpFailure::too_large, "headers too large");
    if (headers_done_) return; // trailers
    if (line.starts_with("HTTP/")) {
        result_.head = {};
        return;
    }
    if (const auto field = without_blanks(line); !field.empty()) {
        const auto colon = field.find(':');
        if (colon == std::string_view::npos || line.front() == ' ' || line.front() == '\t') return;
        const std::string name = lower_ascii(without_blanks(field.substr(0, colon)));
        const auto value = without_blanks(field.substr(colon + 1));
        if (name == "content-type")
            result_.head.content_type =
                lower_ascii(without_blanks(value.substr(0, value.find(';'))));
        result_.head.fields.insert_or_assign(name, std::string{value});
        return;
    }
    long status = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    if (status < 200) return;
    headers_done_ = true;
    result_.head.status = static_cast<int>(status);
    if (control_.on_head) control_.on_head(result_.head);
}

bool Transfer::take_body(std::string_view piece) {
    body_bytes_ += piece.size();
    if (enough_) return body_bytes_ <= discard_limit;
    if (body_bytes_ > control_.limits.answer_bytes) {
        end(HttpFailure::too_large, "answer too large");
        return false;
    }
    result_.body_begun = true;
    if (control_.on_body && !control_.on_body(piece)) {
        enough_ = true;
        body_bytes_ = 0;
    }
    // Taken after the reader's own work, which must not count as the upstream's silence.
    last_piece_ = Clock::now();
    return true;
}

} // namespace usershell::net
