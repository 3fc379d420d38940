#include "net/transfer.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring> // explicit_bzero(3)
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

namespace usershell::net {
namespace {

constexpr std::size_t max_discarded = std::size_t{256} * 1024; ///< after the reader has stopped
constexpr std::size_t max_unread = std::size_t{16} * 1024;     ///< then libcurl keeps the rest
constexpr std::size_t max_decoded = std::size_t{512} * 1024;   ///< unread, of an encoded answer
constexpr long buffer_size = 2048; ///< libcurl's own: a stream's token needs a few hundred bytes

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
    // A header line without an end. The second is CURLE_TOO_LARGE, since curl 8.6.
    {CURLE_OUT_OF_MEMORY, HttpFailure::too_large},
    {static_cast<CURLcode>(100), HttpFailure::too_large},
});

/// Ends that come at once, even if a head or piece has come; others are given last.
constexpr std::array at_once{HttpFailure::cancelled, HttpFailure::timed_out,
                             HttpFailure::too_costly};

/// The descriptor of the connection that a finished transfer leaves open, if it does (none after a
/// failure). libcurl knows it while the transfer is in the multi handle.
curl_socket_t kept_socket(CURL* easy) {
    curl_socket_t socket = CURL_SOCKET_BAD;
    curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &socket);
    return socket;
}

} // namespace

Transfer::Transfer(HttpClient::Parts& parts, const HttpRequest& request, const HttpControl& control)
    : Timer{parts.loop},
      parts_{parts},
      request_{request},
      control_{control},
      url_{parse_url(request.url)},
      connection_{},
      deadlines_{control.limits, control.linger, Clock::now()},
      next_tick_{Clock::now() + control.tick},
      decoder_part_{control.memory},
      unread_part_{control.memory} {
    begin();
    if (control_.cancellation) control_.cancellation->add(*this);
}

Transfer::~Transfer() {
    if (control_.cancellation) control_.cancellation->remove(*this);
    if (state_ != State::outside) parts_.curl.remove(easy_.get());
    if (connection_.number != 0) parts_.connections.release(connection_.number);
    explicit_bzero(unread_.data(), unread_.capacity());
}

void Transfer::begin() {
    if (!may_begin()) return;
    connection_ = parts_.connections.take(control_.pool, url_.origin());
    set_options();
    set_request();
    parts_.curl.add(easy_.get());
    state_ = State::running;
    set_time();
}

bool Transfer::may_begin() {
    const bool spoken = url_.scheme == "http" || url_.scheme == "https";
    if (control_.cancellation && control_.cancellation->is_cancelled())
        end(HttpFailure::cancelled);
    else if (!url_.handle || !spoken || !can_be_sent(request_, control_.own_headers))
        end(HttpFailure::unsendable);
    else if (!Address::parse(url_.host) && !parts_.egress.may_try(url_.host, url_.port))
        end(HttpFailure::forbidden_address);
    return !ended_;
}

void Transfer::set_options() {
    easy_ = new_easy();
    CURL* const easy = easy_.get();
    set_common_options(easy, parts_.ca_file);
    set_option(easy, CURLOPT_PRIVATE, static_cast<CurlLoop::Ended*>(this));
    set_option(easy, CURLOPT_CURLU, url_.handle.get());
    set_option(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    set_option(easy, CURLOPT_FOLLOWLOCATION, 0L);
    // One call at a time leaves nothing to multiplex, and HTTP/2 would cost a window a connection.
    set_option(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set_option(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
    set_option(easy, CURLOPT_ADDRESS_SCOPE, static_cast<long>(connection_.number));
    set_option(easy, CURLOPT_FORBID_REUSE, connection_.key.empty() ? 1L : 0L);
    // libcurl shares this time out among a name's addresses, which our own deadline can't.
    set_option(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(control_.limits.connect.count()));
    set_option(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    set_option(easy, CURLOPT_BUFFERSIZE, buffer_size);
    set_option(easy, CURLOPT_UPLOAD_BUFFERSIZE, 16384L);
    set_option(easy, CURLOPT_OPENSOCKETFUNCTION, &Transfer::on_open);
    set_option(easy, CURLOPT_OPENSOCKETDATA, this);
    set_option(easy, CURLOPT_CLOSESOCKETFUNCTION, &Transfer::on_close);
    set_option(easy, CURLOPT_CLOSESOCKETDATA, &parts_.connections);
    set_option(easy, CURLOPT_PREREQFUNCTION, &Transfer::on_request);
    set_option(easy, CURLOPT_PREREQDATA, this);
    set_option(easy, CURLOPT_HEADERFUNCTION, &Transfer::on_header);
    set_option(easy, CURLOPT_HEADERDATA, this);
    set_option(easy, CURLOPT_WRITEFUNCTION, &Transfer::on_body);
    set_option(easy, CURLOPT_WRITEDATA, this);
}

void Transfer::set_request() {
    CURL* const easy = easy_.get();
    headers_ = header_lines(request_, control_.own_headers);
    set_option(easy, CURLOPT_HTTPHEADER, headers_.get());
    if (request_.method == "GET") {
        set_option(easy, CURLOPT_HTTPGET, 1L);
    } else {
        set_option(easy, CURLOPT_POSTFIELDS, request_.body.data());
        set_option(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                   static_cast<curl_off_t>(request_.body.size()));
    }
}

/// The next event that was not given yet.
std::optional<Transfer::Event> Transfer::take_event() {
    if (thrown_) std::rethrow_exception(thrown_);
    if (ended_ && std::ranges::find(at_once, *ended_) != at_once.end()) return Event::end;
    if (head_.done() && given_ == Given::nothing) {
        given_ = Given::head;
        return Event::head;
    }
    if (!unread_.empty() && !deadlines_.has_reader_stopped()) {
        given_ = Given::piece;
        given_bytes_ = unread_.size();
        return Event::piece;
    }
    if (ended_) return Event::end;
    if (control_.on_tick && Clock::now() >= next_tick_) {
        next_tick_ = Clock::now() + control_.tick;
        return Event::tick;
    }
    return std::nullopt;
}

/// The reader asks for more: the piece that it had is dropped, and a paused libcurl goes on.
void Transfer::go_on() {
    if (given_ == Given::piece) {
        given_ = Given::head;
        unread_.erase(0, given_bytes_); // an encoded answer has gone on
        give_back_room(unread_, unread_part_);
        // After the reader's own work, which must not count as the upstream's silence.
        deadlines_.piece_came(Clock::now());
    }
    if (state_ != State::paused || ended_) return;
    state_ = State::running;
    curl_easy_pause(easy_.get(), CURLPAUSE_CONT);
}

void Transfer::wait(std::coroutine_handle<> reader) {
    reader_ = reader;
    is_woken_ = false;
    set_time();
}

Transfer::Event Transfer::resumed() {
    reader_ = nullptr;
    // Only what has happened wakes the reader, or a tick that is due.
    return take_event().value_or(Event::tick);
}

void Transfer::wake() {
    if (reader_ && !std::exchange(is_woken_, true)) parts_.loop.resume(reader_);
}

void Transfer::hand_over() {
    if (control_.on_body) {
        const CallBudget::Step step{control_.budget};
        if (!control_.on_body(unread_))
            stop();
        else if (control_.is_answered)
            deadlines_.answered_until(control_.is_answered()
                                          ? std::optional{Clock::now() + control_.grace}
                                          : std::nullopt);
    }
    hold_to_budget();
}

void Transfer::hold_to_budget() {
    if (control_.budget && control_.budget->is_spent()) end(HttpFailure::too_costly);
}

void Transfer::stop() {
    body_bytes_ = 0;
    deadlines_.piece_came(Clock::now());
    deadlines_.reader_stopped();
}

HttpResult Transfer::result() {
    HttpResult result{.failure = ended_.value(), .head = {}};
    if (head_.done()) result.head = std::move(head_.head());
    return result;
}

void Transfer::end(HttpFailure failure) {
    if (!ended_) ended_ = failure;
    wake();
}

/// The timer is set for the next deadline as it is now. Most pieces only move it further away:
/// then it comes too early, and is set again. A reader that is away takes no tick.
void Transfer::set_time() {
    auto until = deadlines_.next();
    if (control_.on_tick && reader_) until = std::min(until, next_tick_);
    if (!due() || until < *due()) set(until);
}

void Transfer::on_due() {
    const auto now = Clock::now();
    // While the reader works, or waits for its own client, the upstream is not read.
    if (!reader_ && deadlines_.has_body_begun()) deadlines_.piece_came(now);
    if (now >= deadlines_.next())
        end(deadlines_.has_reader_stopped() || deadlines_.is_answered() ? HttpFailure::stopped
                                                                        : HttpFailure::timed_out);
    else if (control_.on_tick && now >= next_tick_)
        wake();
    if (!ended_) set_time();
}

void Transfer::on_cancelled() { end(HttpFailure::cancelled); }

void Transfer::on_end(CURLcode code) {
    connection_.socket = kept_socket(easy_.get());
    parts_.curl.remove(easy_.get());
    state_ = State::outside;
    if (connection_.socket != CURL_SOCKET_BAD && !connection_.key.empty())
        parts_.connections.keep(connection_);
    end(failure_of(code));
}

HttpFailure Transfer::failure_of(CURLcode code) const {
    if (deadlines_.has_reader_stopped()) return HttpFailure::stopped;
    const bool is_cut = decoder_ && decoder_->is_cut();
    if (code == CURLE_OK && head_.done() && !is_cut) return HttpFailure::none;
    if (code == CURLE_BAD_CONTENT_ENCODING) return HttpFailure::not_http; // of the transfer
    if (code == CURLE_OK || head_.done()) return HttpFailure::cut_off;
    const auto* const row = std::ranges::find(code_rows, code, &CodeRow::code);
    return row == code_rows.end() ? HttpFailure::unreachable : row->failure;
}

/// An exception must not pass through libcurl: it is kept and thrown to the reader.
template <class Work>
bool Transfer::guarded(Work&& work) noexcept {
    try {
        work();
        return true;
    } catch (...) {
        thrown_ = std::current_exception();
        wake();
        return false;
    }
}

// Asked before a connection is opened, and again before the request is written, because libcurl
// opens no socket when it reuses a connection. Once an address of a name is refused, no other one
// is tried.
//
// When a kept connection ends before a byte of the answer, libcurl sends the request once more on a
// fresh one, and says nothing. The provider may have read the first: a POST is an answer that is
// paid for twice. So a POST of which anything has been written is not written again; the call ends
// as it does when a fresh connection dies (docs/decisions/0008).
bool Transfer::may_connect(const std::optional<Address>& address, std::uint16_t port) {
    if (ended_) return false;
    if (!address || !parts_.egress.permits(*address, port, url_.host))
        end(HttpFailure::forbidden_address);
    else if (request_.method == "POST" && was_sent())
        end(HttpFailure::unreachable);
    return !ended_;
}

/// Is the connection opened for this call, or the pool's?
bool Transfer::may_use(int local_port) {
    if (!opened_connection_ && local_port != connection_.local_port) end(HttpFailure::unreachable);
    connection_.local_port = local_port;
    return !ended_;
}

bool Transfer::was_sent() const {
    long written = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_REQUEST_SIZE, &written);
    return written > 0;
}

curl_socket_t Transfer::on_open(void* self, curlsocktype, curl_sockaddr* address) {
    auto& transfer = *static_cast<Transfer*>(self);
    curl_socket_t socket = CURL_SOCKET_BAD;
    transfer.guarded([&] {
        const auto target = read_socket_address(address->addr, address->addrlen);
        const bool allowed = target ? transfer.may_connect(target->address, target->port)
                                    : transfer.may_connect(std::nullopt, 0);
        if (!allowed) return;
        socket = ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
        if (socket < 0) return;
        transfer.opened_connection_ = true;
        transfer.parts_.connections.opened(socket, transfer.connection_.number);
    });
    return socket;
}

int Transfer::on_close(void* pool, curl_socket_t socket) {
    static_cast<ConnectionPool*>(pool)->closing(socket);
    return ::close(socket);
}

int Transfer::on_request(void* self, char* address, char*, int port, int local_port) {
    auto& transfer = *static_cast<Transfer*>(self);
    bool allowed = false;
    transfer.guarded([&] {
        allowed = transfer.may_use(local_port) &&
                  transfer.may_connect(Address::parse(address), static_cast<std::uint16_t>(port));
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
    std::size_t taken = 0;
    transfer.guarded([&] { taken = transfer.take_body({bytes, size * count}); });
    return taken;
}

void Transfer::take_header(std::string_view line) {
    const bool is_trailer = head_.done();
    const auto state = head_.take(line);
    if (state == HeadReader::State::too_large) return end(HttpFailure::too_large);
    if (state == HeadReader::State::encoded_twice) return end(HttpFailure::not_http);
    if (state != HeadReader::State::done || is_trailer) return;
    if (!decoder_part_.hold(ContentDecoder::memory_of(head_.coding())))
        return end(HttpFailure::cancelled);
    decoder_ = ContentDecoder::of(head_.coding());
    curl_off_t sent = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_SIZE_UPLOAD_T, &sent);
    head_.head().is_request_sent = std::cmp_greater_equal(sent, request_.body.size());
    wake();
}

// A reader that has what it needs ("[DONE]") mostly stops some bytes before the answer's formal
// end. Leaving there would close the connection; so the rest is read and thrown away, as long as it
// is little and comes within `linger`.
//
// While the reader is busy (its own client reads slowly), libcurl is paused: it keeps the piece and
// reads no more, so that TCP slows the provider down. Pieces that arrive together while the reader
// waits are handed over together. An encoded answer is not paused: what a piece decodes to, which
// may be ten thousand times as much, is kept here, up to a limit. The limits count decoded bytes.
std::size_t Transfer::take_body(std::string_view piece) {
    if (deadlines_.has_reader_stopped()) {
        body_bytes_ += piece.size();
        return body_bytes_ <= max_discarded ? piece.size() : 0;
    }
    if (!decoder_) return take_decoded(piece);
    const auto sink = [this](std::string_view part) { return take_decoded(part) == part.size(); };
    if (decoder_->take(piece, sink)) return piece.size();
    end(HttpFailure::not_http); // if nothing else was the cause
    return 0;
}

std::size_t Transfer::take_decoded(std::string_view piece) {
    if (ended_) return 0;
    if (head_.is_encoded() && unread_.size() >= max_decoded) {
        end(HttpFailure::too_large);
        return 0;
    }
    if (!head_.is_encoded() && !unread_.empty() && (!reader_ || unread_.size() >= max_unread)) {
        state_ = State::paused;
        return CURL_WRITEFUNC_PAUSE;
    }
    body_bytes_ += piece.size();
    if (body_bytes_ > control_.limits.answer_bytes) {
        end(HttpFailure::too_large);
        return 0;
    }
    deadlines_.piece_came(Clock::now());
    if (!append_to(unread_, piece, unread_part_)) {
        end(HttpFailure::cancelled);
        return 0;
    }
    wake();
    return piece.size();
}

} // namespace usershell::net
