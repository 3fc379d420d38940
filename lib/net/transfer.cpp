#include "net/transfer.hpp"

#include "net/request_lines.hpp"
#include "net/socket_address.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include <poll.h>
#include <sys/socket.h>

namespace usershell::net {
namespace {

constexpr std::size_t max_discarded = std::size_t{256} * 1024; ///< after the reader has stopped
constexpr auto max_wait = std::chrono::minutes{1};
constexpr auto look_interval = std::chrono::milliseconds{10};

struct CodeRow {
    CURLcode code;
    HttpFailure failure;
};

/// Before a head has come; any other code says that the connection was lost.
constexpr auto code_rows = std::to_array<CodeRow>({
    {CURLE_OPERATION_TIMEDOUT, HttpFailure::timed_out},
    {CURLE_PEER_FAILED_VERIFICATION, HttpFailure::bad_certificate},
    {CURLE_SSL_CERTPROBLEM, HttpFailure::bad_certificate},
    {CURLE_SSL_ISSUER_ERROR, HttpFailure::bad_certificate},
    {CURLE_SSL_CACERT_BADFILE, HttpFailure::bad_certificate}, // of trusted certificates
    {CURLE_UNSUPPORTED_PROTOCOL, HttpFailure::not_http},
    {CURLE_WEIRD_SERVER_REPLY, HttpFailure::not_http},
    {CURLE_PARTIAL_FILE, HttpFailure::cut_off},
    {CURLE_OUT_OF_MEMORY, HttpFailure::too_large}, // a header line without an end
});

/// A transfer is in the multi handle from construction to destruction.
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

/// The descriptor of the connection that a finished transfer leaves open, if it does (none after a
/// failure). libcurl tells as long as the transfer is in the multi handle.
curl_socket_t kept_socket(CURL* easy) {
    curl_socket_t socket = CURL_SOCKET_BAD;
    curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &socket);
    return socket;
}

} // namespace

Transfer::Transfer(EgressGuard& egress, const HttpRequest& request, const HttpControl& control)
    : egress_{egress},
      request_{request},
      control_{control},
      url_{parse_url(request.url)},
      deadlines_{control.limits, control.linger, Clock::now()},
      next_tick_{Clock::now() + control.tick} {}

HttpResult Transfer::run(ConnectionPool& connections, const std::string& ca_file) {
    if (prepare(ca_file)) {
        auto connection = connections.take(control_.pool, url_.origin());
        drive(*connection);
        connections.give_back(std::move(connection));
    }
    if (thrown_) std::rethrow_exception(thrown_);
    HttpResult result{.failure = ended_.value(), .head = {}, .body_begun = body_begun_};
    if (head_.done()) result.head = std::move(head_.head());
    return result;
}

bool Transfer::prepare(const std::string& ca_file) {
    const bool spoken = url_.scheme == "http" || url_.scheme == "https";
    if (!url_.handle || !spoken || !can_be_sent(request_)) {
        end(HttpFailure::unsendable);
    } else if (!Address::parse(url_.host) && !egress_.may_try(url_.host, url_.port)) {
        end(HttpFailure::forbidden_address);
    } else {
        set_options(ca_file);
        set_request();
    }
    return !ended_;
}

void Transfer::set_options(const std::string& ca_file) {
    easy_ = new_easy();
    CURL* const easy = easy_.get();
    set_common_options(easy, ca_file);
    set_option(easy, CURLOPT_CURLU, url_.handle.get());
    set_option(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    set_option(easy, CURLOPT_FOLLOWLOCATION, 0L);
    // One call at a time leaves nothing to multiplex, and HTTP/2 would cost a window a connection.
    set_option(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set_option(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
    // libcurl shares this time out among a name's addresses, which our own deadline can't.
    set_option(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(control_.limits.connect.count()));
    set_option(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    set_option(easy, CURLOPT_BUFFERSIZE, 8192L);
    set_option(easy, CURLOPT_UPLOAD_BUFFERSIZE, 16384L);
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
    headers_ = header_lines(request_);
    set_option(easy, CURLOPT_HTTPHEADER, headers_.get());
    if (request_.method == "GET") {
        set_option(easy, CURLOPT_HTTPGET, 1L);
    } else {
        set_option(easy, CURLOPT_POSTFIELDS, request_.body.data());
        set_option(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                   static_cast<curl_off_t>(request_.body.size()));
    }
}

// libcurl does what can be done now (perform) and sleeps until a socket is ready (poll); between
// the two it is asked whether it has come to an end, and we look at what it does not know of. Its
// own time-outs are too coarse for that: CURLOPT_TIMEOUT can't tell a first byte from a whole
// answer, and CURLOPT_LOW_SPEED_TIME counts seconds of slowness where a stream may rightly be
// silent. So that nothing is late, the sleep ends with the nearest deadline.
void Transfer::drive(PooledConnection& connection) {
    CURLM* const multi = connection.multi.get();
    connection.socket = CURL_SOCKET_BAD; // unless this call comes to its end
    const Membership membership{multi, easy_.get()};
    int running = 0;
    while (!ended_ && !thrown_) {
        if (caller_gone()) return end(HttpFailure::cancelled);
        if (curl_multi_perform(multi, &running) != CURLM_OK) throw std::bad_alloc{};
        if (const auto code = outcome(multi)) {
            connection.socket = kept_socket(easy_.get());
            return end_by_code(*code);
        }
        check_time();
        if (!ended_ && !thrown_) wait(multi);
    }
}

void Transfer::wait(CURLM* multi) {
    auto until = deadlines_.next();
    if (control_.on_tick) until = std::min(until, next_tick_);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    const auto bounded = std::clamp<std::chrono::milliseconds>(left, {}, max_wait);
    curl_waitfd caller{control_.cancel_fd, CURL_WAIT_POLLIN, 0};
    curl_multi_poll(multi, &caller, control_.cancel_fd < 0 ? 0 : 1,
                    static_cast<int>(bounded.count()), nullptr);
}

// The caller's descriptor wakes libcurl's poll, which then says nothing of a hang-up without
// bytes: that must be asked for.
bool Transfer::caller_gone() const {
    if (control_.cancel_fd < 0) return false;
    pollfd caller{control_.cancel_fd, POLLIN | POLLRDHUP, 0};
    return ::poll(&caller, 1, 0) > 0;
}

void Transfer::check_time() {
    const auto now = Clock::now();
    if (now >= deadlines_.next()) {
        end(stopped_ ? HttpFailure::stopped : HttpFailure::timed_out);
    } else if (control_.on_tick && now >= next_tick_) {
        guarded([&] { control_.on_tick(); });
        next_tick_ = Clock::now() + control_.tick;
    }
}

void Transfer::end(HttpFailure failure) {
    if (!ended_) ended_ = failure;
}

void Transfer::end_by_code(CURLcode code) {
    if (stopped_) return end(HttpFailure::stopped);
    if (code == CURLE_OK && head_.done()) return end(HttpFailure::none);
    if (code == CURLE_OK || head_.done()) return end(HttpFailure::cut_off);
    const auto* const row = std::ranges::find(code_rows, code, &CodeRow::code);
    end(row == code_rows.end() ? HttpFailure::unreachable : row->failure);
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

// Asked before a connection is opened, and again before the request is written, because libcurl
// opens nothing when it reuses a connection. Stricter than one address at a time: once an address
// of a name is refused, no other one is tried.
//
// When a kept connection ends before a byte of the answer, libcurl sends the request once more on a
// fresh one, and says nothing. The provider may have read the first: a POST is an answer that is
// paid for twice. So a POST of which anything has been written is not written again; the call ends
// as it does when a fresh connection dies (docs/decisions/0008).
bool Transfer::may_connect(const std::optional<Address>& address, std::uint16_t port) {
    if (ended_) return false;
    if (!address || !egress_.permits(*address, port, url_.host))
        end(HttpFailure::forbidden_address);
    else if (request_.method == "POST" && was_sent())
        end(HttpFailure::unreachable);
    return !ended_;
}

bool Transfer::was_sent() const {
    long written = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_REQUEST_SIZE, &written);
    return written > 0;
}

curl_socket_t Transfer::on_open(void* self, curlsocktype, curl_sockaddr* address) {
    auto& transfer = *static_cast<Transfer*>(self);
    bool allowed = false;
    transfer.guarded([&] {
        const auto target = read_socket_address(address->addr, address->addrlen);
        allowed = target ? transfer.may_connect(target->address, target->port)
                         : transfer.may_connect(std::nullopt, 0);
    });
    if (!allowed) return CURL_SOCKET_BAD;
    return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

int Transfer::on_request(void* self, char* address, char*, int port, int) {
    auto& transfer = *static_cast<Transfer*>(self);
    bool allowed = false;
    transfer.guarded([&] {
        allowed = transfer.may_connect(Address::parse(address), static_cast<std::uint16_t>(port));
    });
    transfer.deadlines_.connected();
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

void Transfer::take_header(std::string_view line) {
    const bool is_trailer = head_.done();
    const auto state = head_.take(line);
    if (state == HeadReader::State::too_large) return end(HttpFailure::too_large);
    if (state == HeadReader::State::done && !is_trailer && control_.on_head)
        control_.on_head(head_.head());
}

// libcurl hands over all that has come, up to a hundred buffers, before drive() has its turn again,
// and the reader's work on it may be long: so the caller and the time of the whole call are looked
// at between pieces as well. Not at each, as a piece may be one byte and a look is a system call.
bool Transfer::must_end() {
    const auto now = Clock::now();
    if (now < next_look_) return false;
    next_look_ = now + look_interval;
    if (caller_gone())
        end(HttpFailure::cancelled);
    else if (now >= deadlines_.end())
        end(HttpFailure::timed_out);
    return ended_.has_value();
}

// A reader that has what it needs ("[DONE]") mostly stops some bytes before the answer's formal
// end. Leaving there would close the connection; so the rest is read and thrown away, as long as it
// is little and comes within `linger`.
bool Transfer::take_body(std::string_view piece) {
    body_bytes_ += piece.size();
    if (stopped_) return body_bytes_ <= max_discarded;
    if (must_end()) return false;
    if (body_bytes_ > control_.limits.answer_bytes) {
        end(HttpFailure::too_large);
        return false;
    }
    body_begun_ = true;
    if (control_.on_body && !control_.on_body(piece)) {
        stopped_ = true;
        body_bytes_ = 0;
        deadlines_.reader_stopped();
    }
    // Taken after the reader's own work, which must not count as the upstream's silence.
    deadlines_.piece_came(Clock::now());
    return true;
}

} // namespace usershell::net
