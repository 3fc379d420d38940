// Envelopes of thieves. The first byte chooses the kind and how the envelope is made:
// 0: a good one with changes, each of three bytes (operation, place, byte);
// 1: a proper one of the fields in the input, each with its length before it;
// 2: a proper one of a signed record, which is the input;
// 3: the input sealed to us without a signature of ours: it takes the ring's public half only.
#include "crypto/envelope/sealers.hpp"
#include "crypto/unseal/unseal.hpp"
#include "domain/catalogue.hpp"
#include "mail/services.hpp"
#include "rings.hpp"
#include "target.hpp"

namespace {

using namespace usershell;
using namespace usershell::crypto;

const UserId owner = *UserId::parse("5f6f1c0e-0000-4000-8000-000000000001");
const ProviderId provider = *ProviderId::parse("5f6f1c0e-0000-4000-8000-000000000002");
const MailId mail_id = *MailId::parse("5f6f1c0e-0000-4000-8000-000000000004");
constexpr const char* base_url = "https://api.openai.com/v1";
const KeyBinding row{owner, provider, std::nullopt, "openai", base_url};

struct Kind {
    EnvelopeKind kind;
    EnvelopeSealer sealer;
    RingRecipient recipient;
    RingKeyId signer;
    const Secret& seed;
    std::string good;
};

template <RingRole signing, RingRole role>
Kind kind_of(EnvelopeKind kind, const SecretRing<signing>& signer, const PublicRing<role>& ring,
             std::initializer_list<std::string_view> fields) {
    auto sealer = sealer_to(kind, signer, ring);
    auto good = sealer.seal_with(Secret{std::string(32, 'e')}, owner, fields);
    return {kind,
            std::move(sealer),
            {ring.active, ring.keys.at(ring.active)},
            signer.active,
            signer.keys.at(signer.active),
            std::move(good)};
}

const Kind& kind_numbered(std::size_t number) {
    static const auto all = [] {
        const auto& web = fuzz::rings().web_secret;
        const auto& vault = fuzz::rings().vault_public;
        std::vector<Kind> kinds;
        kinds.push_back(kind_of(EnvelopeKind::key, web, vault,
                                {provider.text(), provider_level, "openai", base_url, "sk-key"}));
        kinds.push_back(kind_of(EnvelopeKind::vault_entry, web, vault,
                                {provider.text(), "openai", "", "sk-key"}));
        kinds.push_back(kind_of(EnvelopeKind::mail, fuzz::rings().auth_secret,
                                fuzz::rings().mail_public,
                                {mail_id.text(), "1767225600", "content"}));
        return kinds;
    }();
    return all.at(number % all.size());
}

std::string changed(std::string envelope, fuzz::Input changes) {
    while (!changes.empty() && !envelope.empty()) {
        const auto what = changes.byte() % 4;
        const auto at = changes.byte() * envelope.size() / 256;
        const auto byte = static_cast<char>(changes.byte());
        if (what == 0) envelope[at] = byte;
        if (what == 1) envelope.insert(at, 1, byte);
        if (what == 2) envelope.erase(at, static_cast<unsigned char>(byte));
        if (what == 3) envelope[at] = static_cast<char>(envelope[at] ^ (1 << (byte & 7)));
    }
    return envelope;
}

std::string of_fields(const Kind& kind, fuzz::Input input) {
    std::vector<std::string_view> fields;
    auto rest = input.rest();
    while (!rest.empty() && fields.size() < 8) {
        const auto size =
            std::min<std::size_t>(static_cast<unsigned char>(rest[0]), rest.size() - 1);
        fields.push_back(rest.substr(1, size));
        rest.remove_prefix(1 + size);
    }
    fields.resize(5);
    if (kind.kind == EnvelopeKind::key)
        return kind.sealer.seal(owner, {fields[0], fields[1], fields[2], fields[3], fields[4]});
    if (kind.kind == EnvelopeKind::vault_entry)
        return kind.sealer.seal(owner, {fields[0], fields[1], fields[2], fields[3]});
    return kind.sealer.seal(owner, {fields[0], fields[1], fields[2]});
}

/// `padded` signed with our own key.
std::string with_signature(const Kind& kind, std::string_view padded) {
    const DigestSigner signer{fuzz::rings().web_public.installation, kind.signer, kind.seed};
    return signer.sign(kind.kind, digest_of_record(padded)).signature.append(padded);
}

std::string sealed(const Kind& kind, const std::string& record) {
    return seal_signed(kind.kind, kind.recipient, kind.signer,
                       fuzz::rings().web_public.installation, owner, Secret{record});
}

std::string envelope_of(const Kind& kind, std::size_t way, const fuzz::Input& from) {
    switch (way) {
    case 0:
        return changed(kind.good, from);
    case 1:
        return of_fields(kind, from);
    case 2:
        return sealed(kind, with_signature(kind, from.rest()));
    default:
        return sealed(kind, std::string{from.rest()});
    }
}

/// The plain text; nullopt when the envelope stays shut.
std::optional<std::string> opened(const Kind& kind, const std::string& envelope) {
    static const Unsealer unsealer{fuzz::rings().vault_secret, fuzz::rings().web_public,
                                   AddressRule::path};
    static const mail::MailOpener mails{fuzz::rings().mail_secret, fuzz::rings().auth_public};
    std::optional<std::string> plain;
    fuzz::accepts([&] {
        if (kind.kind == EnvelopeKind::mail)
            plain = mails.open({owner, mail_id, "reset", SealedMail{envelope}, 1}).content.reveal();
        else
            plain = unsealer.open(row, SealedKey{envelope}).reveal();
    });
    return plain;
}

void run(std::string_view input) {
    fuzz::Input from{input};
    const auto choice = from.byte();
    const Kind& kind = kind_numbered(choice / 4);
    const auto way = choice % 4;
    const auto envelope = envelope_of(kind, way, from);
    const auto plain = opened(kind, envelope);
    if (way == 0)
        fuzz::require(plain.has_value() == (envelope == kind.good), "one that was changed is shut");
    if (way == 3) fuzz::require(!plain, "one that we have not signed is shut");
}

const fuzz::Target target{"envelope", run, std::size_t{32} * 1024};

} // namespace
