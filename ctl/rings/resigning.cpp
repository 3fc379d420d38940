#include "ctl/rings/resigning.hpp"

#include "base/error.hpp"
#include "crypto/ring/files.hpp"
#include "ctl/command.hpp"
#include "ctl/system/confinement.hpp"
#include "runtime/descriptor.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <tuple>

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace usershell::ctl {

namespace {

using crypto::EnvelopeKind;
using crypto::RingKeyId;
using crypto::SignedDigest;

constexpr std::size_t digest_size = std::tuple_size_v<crypto::RecordDigest>;
constexpr std::size_t request_size = 1 + RingKeyId::size + digest_size + crypto::signature_size;
using Request = std::array<char, request_size>;

Request request_of(const SignedDigest& record) {
    Request request{static_cast<char>(record.kind)};
    auto at = std::ranges::copy(record.signer.bytes(), request.begin() + 1).out;
    at = std::ranges::copy(record.digest, at).out;
    std::ranges::copy(record.signature, at);
    return request;
}

SignedDigest parse(const Request& request) {
    const auto kind = static_cast<EnvelopeKind>(request[0]);
    if (kind != EnvelopeKind::key && kind != EnvelopeKind::vault_entry)
        throw Error{"Only stored keys are signed again."};
    const std::string_view bytes{request.data() + 1, request.size() - 1};
    SignedDigest record{kind,
                        RingKeyId::from_bytes(bytes.substr(0, RingKeyId::size)),
                        {},
                        std::string{bytes.substr(RingKeyId::size + digest_size)}};
    std::ranges::copy(bytes.substr(RingKeyId::size, digest_size), record.digest.begin());
    return record;
}

void send_all(int socket, std::string_view message) {
    if (send(socket, message.data(), message.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(message.size()))
        throw SystemError{"send"};
}

Descriptor connected_to(const std::string& path) {
    Descriptor signer{socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
    sockaddr_un address{AF_UNIX, {}};
    if (path.size() >= sizeof address.sun_path) throw Error{"The socket's path is too long."};
    std::ranges::copy(path, std::begin(address.sun_path));
    if (connect(signer.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        throw SystemError{"No signer listens at " + path};
    const timeval limit{10, 0};
    setsockopt(signer.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return signer;
}

std::string signature_by(const Descriptor& signer, const SignedDigest& record) {
    const auto request = request_of(record);
    send_all(signer.get(), {request.data(), request.size()});
    std::string signature(crypto::signature_size, '\0');
    if (recv(signer.get(), signature.data(), signature.size(), 0) !=
        static_cast<ssize_t>(signature.size()))
        throw Error{"The signer refused a record. Its journal has the reason: journalctl -u "
                    "'usershell-resign@*'"};
    return signature;
}

/// Answers what comes on `socket` until the other side closes it. Throws Error for what is no
/// request, and for a record that no key of the ring has signed.
void answer_requests(int socket, const crypto::Resigner& resigner) {
    Request request{};
    for (;;) {
        const auto size = recv(socket, request.data(), request.size(), MSG_TRUNC);
        if (size == 0) return;
        if (size != static_cast<ssize_t>(request.size()))
            throw Error{"A message is no request for a signature."};
        send_all(socket, resigner.sign_again(parse(request)).signature);
    }
}

} // namespace

crypto::Rewrapper::Resign resign_by(const std::string& path) {
    const auto signer = std::make_shared<const Descriptor>(connected_to(path));
    return [signer](const SignedDigest& record) { return signature_by(*signer, record); };
}

void ring_resign(const Settings& settings, Arguments& arguments) {
    const std::string user = arguments.option("user").value_or("usershell-resign");
    arguments.finish();
    const auto web = crypto::load_ring_in<crypto::WebSecret>(settings.rings);
    const crypto::Resigner resigner{web};
    confine(user, false);
    answer_requests(STDIN_FILENO, resigner);
}

} // namespace usershell::ctl
