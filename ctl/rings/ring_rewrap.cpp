#include "base/error.hpp"
#include "crypto/opening/rewrapper.hpp"
#include "crypto/ring/files.hpp"
#include "ctl/command.hpp"
#include "ctl/init/administrator.hpp"
#include "ctl/system/child.hpp"
#include "runtime/descriptor.hpp"
#include "store/database/conninfo.hpp"
#include "store/migrations/migrate.hpp"
#include "store/rings.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace usershell::ctl {

namespace {

// Two processes sign stored keys again after the web ring got a new key: `ring rewrap` opens them
// and has no key that signs, `ring resign` has the keys that sign and sees digests. Between them is
// a Unix socket of SOCK_SEQPACKET. A request is kind (1 byte) ‖ signer's id ‖ digest ‖ signature,
// its answer a signature. After a request that it refuses the other side ends.

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

/// The side of `ring rewrap`. Throws Error when no signer listens at `path`. The function is for
/// one thread, and throws Error when the other side refuses or is silent for 10 s.
crypto::Rewrapper::Resign resign_by(const std::string& path) {
    const auto signer = std::make_shared<const Descriptor>(connected_to(path));
    return [signer](const SignedDigest& record) { return signature_by(*signer, record); };
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

constexpr const char* rewrap_role = "usershell_rewrap";
constexpr const char* system_user = "usershell-rewrap";

struct Count {
    int sealed_anew = 0;
    int changed_meanwhile = 0;
    int not_opened = 0;
};

void rewrap_one(store::Lease& lease, const crypto::Rewrapper& rewrapper,
                const store::KeyToRewrap& key, Count& count) {
    try {
        const auto sealed = rewrapper.rewrap({key.owner, key.provider, key.id, key.sealed});
        ++(store::swap_envelope(lease, key, sealed) ? count.sealed_anew : count.changed_meanwhile);
    } catch (const crypto::UnsealError&) {
        ++count.not_opened;
    }
}

Count rewrap_all(const std::string& connection, const crypto::Rewrapper& rewrapper,
                 const store::RewrapTarget& target) {
    constexpr int at_a_time = 100;
    store::Database database{connection, 1, {.limit = std::chrono::hours{24}}};
    store::require_schema(database);
    store::Lease lease{database};
    Count count;
    UserId owner = global_owner();
    std::string id = owner.text();
    for (;;) {
        const auto keys = store::keys_to_rewrap(lease, target, at_a_time, owner, id);
        if (keys.empty()) return count;
        for (const auto& key : keys) rewrap_one(lease, rewrapper, key, count);
        owner = keys.back().owner;
        id = keys.back().id;
    }
}

void report(const Count& count, const crypto::RingKeyId& target) {
    std::cout << "Sealed " << count.sealed_anew << " keys to " << target.text() << ".\n";
    if (count.changed_meanwhile != 0)
        std::cout << count.changed_meanwhile << " were replaced or deleted meanwhile.\n";
    if (count.not_opened != 0)
        throw Error{std::to_string(count.not_opened) +
                    " keys do not open and stay as they are: they have to be entered again."};
}

} // namespace

void ring_rewrap(const Settings& settings, Arguments& arguments) {
    const bool with_network = arguments.flag("with-network");
    const auto signer = arguments.option("signer");
    const std::string user = arguments.option("user").value_or(system_user);
    arguments.finish();
    if (!with_network && !is_local(settings.database))
        throw UsageError{"This works without a network, and PostgreSQL is on another machine; "
                         "--with-network keeps it."};
    const auto vault = crypto::load_ring_in<crypto::VaultSecret>(settings.rings);
    const auto target = crypto::load_ring_in<crypto::VaultPublic>(settings.rings);
    const auto web = crypto::load_ring_in<crypto::WebPublic>(settings.rings);
    const crypto::Rewrapper rewrapper{vault, target, web,
                                      signer ? resign_by(*signer) : crypto::Rewrapper::Resign{}};
    confine(user, with_network);
    const auto connection = store::with_keywords(settings.database, {{"user", rewrap_role}});
    report(rewrap_all(connection, rewrapper,
                      {target.active, signer ? std::optional{web.active} : std::nullopt}),
           target.active);
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
