#include "load_connection.hpp"

#include <array>
#include <cerrno>
#include <stdexcept>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace usershell::bench {
namespace {

int open_socket(int port) {
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) throw std::runtime_error{"no more sockets: raise the limit of open files"};
    const int on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    static_cast<void>(
        connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address));
    return descriptor;
}

} // namespace

LoadConnection::LoadConnection(const Marks& marks, int port, SSL_CTX* tls)
    : descriptor_{open_socket(port)},
      answer_{marks} {
    if (tls == nullptr) return;
    tls_.reset(SSL_new(tls));
    SSL_set_fd(tls_.get(), descriptor_);
    SSL_set_tlsext_host_name(tls_.get(), "localhost");
    SSL_set_connect_state(tls_.get());
}

LoadConnection::~LoadConnection() { close(descriptor_); }

void LoadConnection::on_event() {
    if (state_ == State::connecting) connect();
    if (state_ == State::waiting) {
        flush();
        read();
    } else if (state_ == State::idle || state_ == State::answered) {
        std::array<char, 1> unasked{};
        if (read_some(unasked.data(), 1) != 0) state_ = State::lost;
    }
}

void LoadConnection::connect() {
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(descriptor_, SOL_SOCKET, SO_ERROR, &error, &size);
    tcp_info info{};
    size = sizeof info;
    getsockopt(descriptor_, IPPROTO_TCP, TCP_INFO, &info, &size);
    if (error != 0) {
        state_ = State::lost;
    } else if (info.tcpi_state == TCP_ESTABLISHED) {
        const int done = tls_ ? outcome(SSL_do_handshake(tls_.get())) : 1;
        if (done != 0) state_ = done > 0 ? State::idle : State::lost;
    }
}

void LoadConnection::send(const std::string& request) {
    request_ = &request;
    written_ = 0;
    answer_.reset();
    first_at_ = {};
    sent_at_ = Clock::now();
    state_ = State::waiting;
    flush();
}

void LoadConnection::flush() {
    while (state_ == State::waiting && written_ < request_->size()) {
        const int written =
            write_some(request_->data() + written_, static_cast<int>(request_->size() - written_));
        if (written == 0) return;
        if (written < 0)
            state_ = State::lost;
        else
            written_ += static_cast<std::size_t>(written);
    }
}

void LoadConnection::read() {
    static std::array<char, 32'768> buffer; // of the one thread
    while (state_ == State::waiting) {
        const int size = read_some(buffer.data(), buffer.size());
        if (size == 0) return;
        if (size < 0) {
            state_ = State::lost;
            return;
        }
        answer_.read({buffer.data(), static_cast<std::size_t>(size)});
        if (answer_.first_seen() && first_at_ == Clock::time_point{}) first_at_ = Clock::now();
        if (answer_.is_done()) state_ = State::answered;
    }
}

int LoadConnection::outcome(int result) {
    if (result > 0) return result;
    const int error = SSL_get_error(tls_.get(), result);
    return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? 0 : -1;
}

int LoadConnection::read_some(char* into, int size) {
    if (tls_) return outcome(SSL_read(tls_.get(), into, size));
    const auto got = recv(descriptor_, into, static_cast<std::size_t>(size), 0);
    if (got > 0) return static_cast<int>(got);
    return got < 0 && errno == EAGAIN ? 0 : -1;
}

int LoadConnection::write_some(const char* from, int size) {
    if (tls_) return outcome(SSL_write(tls_.get(), from, size));
    const auto sent = ::send(descriptor_, from, static_cast<std::size_t>(size), MSG_NOSIGNAL);
    if (sent > 0) return static_cast<int>(sent);
    return sent < 0 && errno == EAGAIN ? 0 : -1;
}

} // namespace usershell::bench
