// What people and thieves write into single values: addresses, fields, images, envelopes, passkeys.
#include "auth/browser_words.hpp"
#include "auth/passkeys/webauthn.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "crypto/envelope/sealers.hpp"
#include "crypto/token.hpp"
#include "crypto/unseal/unseal.hpp"
#include "domain/address/address.hpp"
#include "domain/address/url.hpp"
#include "domain/catalogue.hpp"
#include "domain/email.hpp"
#include "domain/rules.hpp"
#include "images/image.hpp"
#include "mail/services.hpp"
#include "manage/providers/fields.hpp"
#include "net/curl.hpp"
#include "target.hpp"

#include <cstdint>
#include <zlib.h>

namespace {

using namespace usershell;

// Addresses of providers: base URLs, hosts, IP addresses, the operator's rows of what may be
// called.
namespace address {

/// Another one for each length, as to try all takes long.
const ProviderType& type_for(std::string_view text) {
    return provider_types()[text.size() % provider_types().size()];
}

void check_url(std::string_view text) {
    std::optional<BaseUrl> url;
    if (!fuzz::accepts([&] { url = BaseUrl::parse(text); })) return;
    fuzz::require(BaseUrl::parse(url->text()) == *url, "a base URL is canonical");
    fuzz::require(url->covers(url->text()) && url->covers(url->text() + "/models"),
                  "a base URL covers what is below it");
    fuzz::require(!url->covers(url->text() + "/../x"), "a base URL does not cover what is above");
    const auto seen = net::parse_url(url->text());
    fuzz::require(seen.handle != nullptr && seen.host == url->host() && seen.port == url->port() &&
                      seen.scheme == url->scheme(),
                  "libcurl reads the same host");
    const auto& type = type_for(text);
    const auto stored = stored_base_url(type, *url);
    fuzz::require(stored_base_url(type, BaseUrl::parse(stored)) == stored,
                  "a stored base URL is canonical");
}

void check_host(std::string_view text) {
    if (const auto host = canonical_host(text)) {
        fuzz::require(canonical_host(bracketed(*host)) == host, "a host is canonical");
        EgressPolicy{}.may_try(*host, 443);
    }
    if (const auto domain = ascii_domain(text))
        fuzz::require(ascii_domain(*domain) == domain, "a domain is canonical");
    if (const auto address = Address::parse(text)) {
        fuzz::require(Address::parse(address->text()) == address, "an address is canonical");
        fuzz::require(!address->client_networks().empty(), "a client is counted");
    }
}

void run(std::string_view input) {
    check_url(input);
    check_host(input);
    try {
        const EgressPolicy policy{{std::string{input}}};
    } catch (const Error&) { // is refused at the start
    }
    const auto& type = type_for(input);
    if (const auto base = base_url_in(type, std::string{type.default_base_url}, input))
        fuzz::require(!base_url_in(type, std::string{type.default_base_url}, *base),
                      "a corrected base URL needs no more correction");
}

// IDNA tables of libidn2 are loaded by the first call.
const fuzz::Target target{"address", run, 8192, std::size_t{1024} * 1024};

} // namespace address

// Fields that people fill in: each is canonical once it was read.
namespace fields {

/// `read(read(x)) == read(x)`, if it is accepted.
template <class Read>
void require_canonical(Read read, std::string_view input) {
    std::string value;
    if (!fuzz::accepts([&] { value = read(std::string{input}); })) return;
    fuzz::require(read(value) == value, "a field that was read is canonical");
}

void check_email(std::string_view input) {
    const auto email = parse_email(input);
    if (!email) return;
    const auto again = parse_email(email->shown);
    fuzz::require(again && again->shown == email->shown && again->normalized == email->normalized &&
                      again->deliverable == email->deliverable,
                  "an address as shown is canonical");
    const auto normal = parse_email(email->normalized);
    fuzz::require(normal && normal->normalized == email->normalized,
                  "an address to compare is canonical");
    const auto sent = parse_email(email->deliverable);
    fuzz::require(sent && sent->normalized == email->normalized &&
                      sent->deliverable == email->deliverable,
                  "mail goes to the address that is compared");
    fuzz::require(!has_control(email->deliverable) &&
                      email->deliverable.find_first_of(" <>,;\"") == std::string::npos,
                  "an address is one word");
}

void check_text(std::string_view input) {
    const auto shown = printable(input);
    fuzz::require(is_utf8(shown) && !has_control(shown) && printable(shown) == shown,
                  "printable text is canonical");
    fuzz::require(trimmed(trimmed(input)) == trimmed(input), "trimmed text is canonical");
    const auto short_one = shorten(shown, 20);
    fuzz::require(count_code_points(short_one) <= 20 && shorten(short_one, 20) == short_one,
                  "short text is canonical");
    fuzz::require(is_utf8(initials(shown)), "initials are text");
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz ";
    const auto words = auth::browser_words(input).english(); // shown on the page of security
    fuzz::require(words.size() < 50 && words.find_first_not_of(letters) == std::string::npos,
                  "a browser's words are ours");
}

void run(std::string_view input) {
    for (const auto* rule :
         {&rules::display_name, &rules::model_name, &rules::api_key, &rules::message})
        require_canonical([&](const std::string& given) { return rules::read(*rule, given); },
                          input);
    require_canonical([](const std::string& given) { return manage::capabilities_field(given); },
                      input);
    require_canonical(
        [](const std::string& given) {
            return manage::model_id_field(given, manage::type_field("google-gemini"));
        },
        input);
    check_email(input);
    check_text(input);
}

const fuzz::Target target{"fields", run, std::size_t{16} * 1024, std::size_t{1024} * 1024};

} // namespace fields

// A picture. The first byte: 0: bytes as they are; else the checksums of a PNG's chunks are put
// right, which a fuzzer can't.
namespace image {

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i)
        number = number << 8U | static_cast<unsigned char>(bytes[at + i]);
    return number;
}

std::string with_checksums(std::string png) {
    constexpr std::size_t signature = 8;
    for (std::size_t at = signature; at + 12 <= png.size();) {
        const std::size_t size = number_at(png, at);
        if (size > png.size() - at - 12) break;
        const auto* const chunk = reinterpret_cast<const unsigned char*>(png.data()) + at + 4;
        const auto sum = ::crc32(0, chunk, static_cast<unsigned>(size) + 4);
        for (std::size_t i = 0; i < 4; ++i)
            png[at + 8 + size + i] = static_cast<char>(sum >> (24 - 8 * i));
        at += size + 12;
    }
    return png;
}

void run(std::string_view input) {
    static Permits permits{1, 0, {}};
    const auto permit = permits.take(*UserId::parse("5f6f1c0e-0000-4000-8000-000000000001"));
    fuzz::Input from{input};
    const bool is_raw = from.byte() == 0;
    const images::DecodeLimits limits{.blocks = std::size_t{64} * 1024,
                                      .memory = std::size_t{4} * 1024 * 1024};
    const std::string bytes{from.rest()};
    const auto check = images::check_image(permit, is_raw ? bytes : with_checksums(bytes), limits);
    fuzz::require(check.ok() == !check.media_type.empty(), "a picture has a type, or a fault");
}

// libpng holds rows of 4,096 pixels, libjpeg what the limit says.
const fuzz::Target target{"image", run, std::size_t{64} * 1024, std::size_t{16} * 1024 * 1024};

} // namespace image

// Envelopes of thieves. The first byte chooses the kind and how the envelope is made:
// 0: a good one with changes, each of three bytes (operation, place, byte);
// 1: a proper one of the fields in the input, each with its length before it;
// 2: a proper one of a signed record, which is the input;
// 3: the input sealed to us without a signature of ours: it takes the ring's public half only.
namespace envelope {

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

} // namespace envelope

// A browser's answers about a passkey. The first two bytes: algorithm, and size of the
// authenticator data. Client data, up to a zero; authenticator data; a key, which is the signature,
// too.
namespace passkey {

using namespace usershell::auth::passkeys;
constexpr int algorithms[] = {-7, -8, -257};

void run(std::string_view input) {
    static const Expected expected{"https://a.example", "a.example", "challenge"};
    fuzz::Input from{input};
    const int algorithm = algorithms[from.byte() % 3];
    const auto size = from.byte();
    const auto text = from.piece();
    const auto data = from.rest().substr(0, size);
    const PublicKey key{std::string{from.rest().substr(data.size())}, algorithm};
    if (const auto made = verify_registration({text, data, key}, expected))
        fuzz::require(!made->credential_id.empty() && made->credential_id.size() <= 1023 &&
                          data.substr(55).starts_with(made->credential_id),
                      "a passkey is what was sent");
    constexpr std::string_view got =
        R"({"type":"webauthn.get","challenge":"Y2hhbGxlbmdl","origin":"https://a.example"})";
    fuzz::require(!verify_assertion({got, data, key.spki}, key, expected), "a key signs nothing");
}

const fuzz::Target target{"passkey", run, 4096};

} // namespace passkey

} // namespace
