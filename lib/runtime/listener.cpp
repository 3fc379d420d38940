#include "runtime/listener.hpp"

#include "base/error.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>

namespace usershell {

namespace {

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path))
        throw Error{"socket " + path + " has too long a path"};
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

const sockaddr* generic(const sockaddr_un& address) {
    return reinterpret_cast<const sockaddr*>(
        &address); // NOLINT: how the socket calls take addresses
}

Descriptor new_socket() {
    Descriptor made{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (!made) throw SystemError{"no socket could be made"};
    return made;
}

/// Makes way for bind(2).
void remove_stale(const std::string& path) {
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0) {
        if (errno == ENOENT) return;
        throw SystemError{"socket " + path};
    }
    if (!S_ISSOCK(found.st_mode)) throw Error{path + " is there and is no socket"};
    if (somebody_listens(path)) throw Error{"another process serves " + path};
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw SystemError{"socket " + path};
}

/// The names of the inherited sockets, the first one's first.
std::vector<std::string> inherited_names() {
    char** names = nullptr;
    const int count = ::sd_listen_fds_with_names(0, &names);
    if (count < 0) throw SystemError{"the inherited sockets can't be read", -count};
    std::vector<std::string> copied;
    for (int i = 0; i < count; ++i) {
        copied.emplace_back(names[i]); // NOLINT: a C array
        std::free(names[i]);           // NOLINT
    }
    std::free(static_cast<void*>(names)); // NOLINT
    return copied;
}

std::optional<int> inherited_number(Listener::Purpose purpose) {
    std::optional<int> number;
    int next = SD_LISTEN_FDS_START;
    for (const std::string& name : inherited_names()) {
        const int candidate = next++;
        if ((name == "metrics") != (purpose == Listener::Purpose::metrics)) continue;
        if (number) throw Error{"two inherited sockets are for the same purpose"};
        number = candidate;
    }
    return number;
}

} // namespace

Listener::Listener(Descriptor socket, std::string path)
    : socket_{std::move(socket)},
      path_{std::move(path)} {}

Listener::Listener(Listener&& other) noexcept
    : socket_{std::move(other.socket_)},
      path_{std::exchange(other.path_, {})} {}

Listener::~Listener() { unlink(); }

void Listener::unlink() {
    if (!path_.empty()) ::unlink(path_.c_str());
    path_.clear();
}

std::optional<Listener> Listener::inherited(Purpose purpose) {
    const std::optional<int> number = inherited_number(purpose);
    if (!number) return std::nullopt;
    Descriptor socket{*number};
    if (::sd_is_socket_unix(socket.get(), SOCK_STREAM, 1, nullptr, 0) <= 0)
        throw Error{"the inherited socket is no listening Unix stream socket"};
    const int flags = ::fcntl(socket.get(), F_GETFL);
    if (flags < 0 || ::fcntl(socket.get(), F_SETFL, flags | O_NONBLOCK) != 0)
        throw SystemError{"the inherited socket"};
    return Listener{std::move(socket), {}};
}

Listener Listener::bound(const std::string& path) {
    constexpr mode_t owner_and_group = 0660;
    const sockaddr_un address = address_of(path);
    remove_stale(path);
    Descriptor socket = new_socket();
    if (::bind(socket.get(), generic(address), sizeof(address)) != 0)
        throw SystemError{"socket " + path};
    Listener listener{std::move(socket), path};
    // Nobody can connect before listen(2), so the mode is in force in time.
    if (::chmod(path.c_str(), owner_and_group) != 0 || ::listen(listener.fd(), SOMAXCONN) != 0)
        throw SystemError{"socket " + path};
    return listener;
}

Listener Listener::of_requests(const std::string& path) {
    if (!path.empty()) return bound(path);
    auto given = inherited(Purpose::requests);
    if (!given)
        throw Error{"one listening socket must be inherited (LISTEN_FDS), or --socket be given"};
    return std::move(*given);
}

Descriptor connect_to(const std::string& path) {
    const sockaddr_un address = address_of(path);
    Descriptor socket = new_socket();
    if (::connect(socket.get(), generic(address), sizeof(address)) != 0) return {};
    return socket;
}

bool somebody_listens(const std::string& path) {
    return connect_to(path) || errno == EAGAIN; // its backlog is full
}

} // namespace usershell
