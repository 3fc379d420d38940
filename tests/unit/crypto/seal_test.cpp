// Sealed keys, and the vectors of docs/security.md. Keys open for their row alone, whatever a thief
// can write, sign or seal. Avatars alike, and the masks of apps.
#include "crypto/avatar_box.hpp"
#include "crypto/envelope/sealers.hpp"
#include "crypto/unseal/unseal.hpp"
#include "tests/unit/crypto/support.hpp"
namespace usershell::crypto {
std::ostream& operator<<(std::ostream& out, UnsealError::Reason reason) {
    return out << static_cast<int>(reason);
}
namespace {
struct Sealing {
    test::Rings rings = test::new_rings();
    KeySealer sealer{rings.web_secret, rings.vault_public};
    KeyBinding row{random_id<UserId>(), random_id<ProviderId>(), std::nullopt, "openai",
                   "https://api.example.com/v1"};
    std::string seal(const std::string& key) const { return sealer.seal(row, Secret{key}).bytes(); }
};

BOOST_FIXTURE_TEST_CASE(the_vectors_come_out, Sealing) {
    const test::Vectors vectors;
    const auto golden = vectors.rings();
    const Secret ephemeral{vectors.bytes("ephemeral secret key")};
    const auto owner = vectors.id<UserId>("owner");
    const auto keys = sealer_to(EnvelopeKind::key, golden.web_secret, golden.vault_public);
    BOOST_TEST((keys.seal_with(ephemeral, owner,
                               {vectors.text("provider"), vectors.text("account"),
                                vectors.text("type"), vectors.text("base url"),
                                vectors.text("key")}) == vectors.bytes("sealed key")));
    const auto mails = sealer_to(EnvelopeKind::mail, golden.auth_secret, golden.mail_public);
    BOOST_TEST((mails.seal_with(ephemeral, owner,
                                {vectors.text("mail"), vectors.text("valid until"),
                                 vectors.text("content")}) == vectors.bytes("sealed mail")));
}

BOOST_FIXTURE_TEST_CASE(the_header_names_ring_key_and_signer_and_little_else_shows, Sealing) {
    const auto sealed = seal("sk-visible-0123456789");
    BOOST_TEST((sealed.substr(0, 2) == "\1\1"));
    BOOST_TEST((sealed.substr(2, 16) == rings.vault_public.active.bytes()));
    BOOST_TEST((sealed.substr(18, 16) == rings.web_secret.active.bytes()));
    for (const auto& part : {std::string{"sk-visible"}, row.owner.text(), row.provider.text(),
                             row.type, row.base_url, rings.web_secret.active.text()})
        BOOST_TEST(!has(sealed, part), part);
    BOOST_TEST((seal("sk-visible-0123456789") != sealed));
    std::set<std::size_t> sizes;
    for (std::size_t size = 0; size <= 512; ++size)
        sizes.insert(seal(std::string(size, 'k')).size());
    BOOST_TEST(sizes.size() == 5U);
    for (const auto size : sizes) BOOST_TEST((size - *sizes.begin()) % 128 == 0U);
}

BOOST_FIXTURE_TEST_CASE(refuses_rings_that_do_not_belong_together_and_unusable_keys, Sealing) {
    const auto elsewhere = test::new_rings(test::another_installation());
    BOOST_CHECK_THROW((KeySealer{rings.web_secret, elsewhere.vault_public}), RingError);
    BOOST_CHECK_THROW((MailSealer{elsewhere.auth_secret, rings.mail_public}), RingError);
    const auto sealer_to = [this](const std::string& public_key) {
        const auto& web = rings.web_secret;
        return EnvelopeSealer{EnvelopeKind::key,
                              web.installation,
                              web.active,
                              web.keys.at(web.active),
                              {rings.vault_public.active, public_key}};
    };
    for (const std::string& key : {std::string(31, 'p'), std::string(32, '\0')})
        BOOST_CHECK_THROW(sealer_to(key), Error);
}

BOOST_FIXTURE_TEST_CASE(hints_show_little, Sealing) {
    const std::pair<std::string, std::string> cases[] = {
        {"12345678901", "••••"},
        {"abcdefghijkl", "…ijkl"},
        {"abcdefghijklmnopqrs", "…pqrs"},
        {"abcdefghijklmnopqrst", "abc…qrst"},
    };
    for (const auto& [key, hint] : cases) BOOST_TEST(key_hint(Secret{key}) == hint);
}

using Reason = UnsealError::Reason;
const std::string plain_key = "sk-canary-5f1e0d9c8b7a6";
/// The reason of a refusal; null when the key came out as it went in.
std::optional<Reason> outcome(const Unsealer& unsealer, const KeyBinding& row,
                              const SealedKey& sealed) {
    try {
        BOOST_TEST((unsealer.open(row, sealed).reveal() == plain_key));
        return std::nullopt;
    } catch (const UnsealError& error) {
        BOOST_TEST(!has(error.what(), "canary"));
        return error.reason();
    }
}
struct Vault {
    test::Rings rings = test::new_rings();
    KeySealer sealer{rings.web_secret, rings.vault_public};
    Unsealer unsealer{rings.vault_secret, rings.web_public, AddressRule::whole};
    KeyBinding row{random_id<UserId>(), random_id<ProviderId>(), random_id<AccountId>(), "openai",
                   "https://api.example.com/v1"};
    SealedKey sealed = sealer.seal(row, Secret{plain_key});
    std::optional<Reason> open(const KeyBinding& as) const { return outcome(unsealer, as, sealed); }
    std::optional<Reason> open(std::string bytes) const {
        return outcome(unsealer, row, SealedKey{std::move(bytes)});
    }
    std::string encrypted(const std::string& plain) const {
        const auto& to = rings.vault_public;
        return seal_signed(EnvelopeKind::key, {to.active, to.keys.at(to.active)},
                           rings.web_public.active, to.installation, row.owner, Secret{plain});
    }
};

BOOST_FIXTURE_TEST_CASE(keys_of_every_length_and_any_bytes_come_back, Vault) {
    for (std::size_t size = 0; size <= 4200; size += size < 300 ? 1 : 391) {
        const std::string key = (size % 2 == 0 ? "\x80" : "") + test::counting(size);
        const auto back = unsealer.open(row, sealer.seal(row, Secret{key}));
        BOOST_TEST((back.reveal() == key));
    }
    row.account.reset();
    row.owner = global_owner();
    BOOST_TEST(!outcome(unsealer, row, sealer.seal(row, Secret{plain_key})));
}

BOOST_FIXTURE_TEST_CASE(no_byte_may_be_changed_cut_off_or_added, Vault) {
    const auto& bytes = sealed.bytes();
    BOOST_TEST(!open(bytes)); // so that it is remembered as it is
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        // version and kind; the two ids; the rest
        const auto expected = at >= 2 && at < 18 ? Reason::key_unavailable : Reason::damaged;
        for (const int flip : {0x01, 0x80, 0xff}) {
            auto changed = bytes;
            changed[at] = static_cast<char>(changed[at] ^ flip);
            BOOST_TEST((open(changed) == expected), at);
        }
    }
    for (std::size_t size = 0; size < sealed.bytes().size(); ++size)
        BOOST_TEST((open(sealed.bytes().substr(0, size)) == Reason::damaged), size);
    BOOST_TEST((open(sealed.bytes() + '\0') == Reason::damaged));
}

BOOST_FIXTURE_TEST_CASE(an_ephemeral_key_of_small_order_or_another_spelling_is_refused, Vault) {
    const auto with_ephemeral = [this](const std::string& key) {
        return sealed.bytes().substr(0, 34) + key + sealed.bytes().substr(66);
    };
    for (const std::string_view digits :
         {"0000000000000000000000000000000000000000000000000000000000000000",
          "0100000000000000000000000000000000000000000000000000000000000000",
          "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
          "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
          "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
          "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
          "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"})
        BOOST_TEST((open(with_ephemeral(test::from_hex(digits))) == Reason::damaged), digits);
    // the same point with the bit that X25519 ignores
    auto key = sealed.bytes().substr(34, 32);
    key.back() = static_cast<char>(key.back() ^ 0x80);
    BOOST_TEST((open(with_ephemeral(key)) == Reason::damaged));
}

BOOST_FIXTURE_TEST_CASE(a_moved_row_is_refused, Vault) {
    BOOST_TEST(!open(row));
    const std::tuple<const char*, std::function<void(KeyBinding&)>, Reason> moves[] = {
        {"user", [](auto& to) { to.owner = random_id<UserId>(); }, Reason::damaged},
        {"to everybody", [](auto& to) { to.owner = global_owner(); }, Reason::damaged},
        {"provider", [](auto& to) { to.provider = random_id<ProviderId>(); }, Reason::moved},
        {"account", [](auto& to) { to.account = random_id<AccountId>(); }, Reason::moved},
        {"account to provider level", [](auto& to) { to.account.reset(); }, Reason::moved},
        {"with the address", // the graver reason counts
         [](auto& to) { to.provider = random_id<ProviderId>(), to.base_url += "/x"; },
         Reason::moved},
    };
    for (const auto& [what, move, reason] : moves) {
        auto to = row;
        move(to);
        BOOST_TEST((open(to) == reason), what);
    }
}

BOOST_FIXTURE_TEST_CASE(a_header_opens_as_itself_alone, Vault) {
    row.account.reset();
    row.header = "x-tenant";
    const auto of_header = sealer.seal(row, Secret{plain_key});
    BOOST_TEST(!outcome(unsealer, row, of_header));
    const std::pair<const char*, std::function<void(KeyBinding&)>> moves[] = {
        {"another header", [](auto& to) { to.header = "x-tenan"; }},
        {"the provider's key", [](auto& to) { to.header.clear(); }},
        {"an account", [](auto& to) { to.header.clear(), to.account = random_id<AccountId>(); }},
        {"another provider", [](auto& to) { to.provider = random_id<ProviderId>(); }},
    };
    for (const auto& [what, move] : moves) {
        auto to = row;
        move(to);
        BOOST_TEST((outcome(unsealer, to, of_header) == Reason::moved), what);
    }
    for (const std::optional<AccountId>& account :
         {std::optional<AccountId>{}, std::optional{random_id<AccountId>()}}) {
        auto of_key = row;
        of_key.header.clear();
        of_key.account = account;
        const auto key = sealer.seal(of_key, Secret{plain_key});
        BOOST_TEST((outcome(unsealer, row, key) == Reason::moved)); // no key becomes a header
    }
    const VaultEntrySealer entries{rings.web_secret, rings.vault_public};
    const SealedKey entry =
        entries.seal({row.owner, *VaultEntryId::parse(row.provider.text()), row.type, row.base_url},
                     Secret{plain_key});
    BOOST_TEST((outcome(unsealer, row, entry) == Reason::damaged)); // nor a key of the vault
    auto of_provider = row;
    of_provider.header.clear();
    BOOST_TEST(!outcome(unsealer, of_provider, entry));
    auto elsewhere = row;
    elsewhere.base_url += "/tenant";
    BOOST_TEST((outcome(unsealer, elsewhere, of_header) == Reason::address_changed));
}

BOOST_FIXTURE_TEST_CASE(another_type_or_base_url_holds_the_key_back, Vault) {
    const std::tuple<std::string, std::string, bool> cases[] = {
        {"openai", "https://api.example.com/v2", true},
        {"openai", "https://api.example.com/v1/tenant", true},
        {"anthropic", "https://api.example.com/v1", false},
        {"anthropic", "https://api.example.com/v2", false},
        {"openai", "http://api.example.com/v1", false},
        {"openai", "https://api.example.com:8443/v1", false},
        {"openai", "https://api.example.com.evil.example/v1", false},
    };
    const Unsealer lenient{rings.vault_secret, rings.web_public, AddressRule::path};
    for (const auto& [type, base_url, only_path] : cases) {
        auto to = row;
        to.type = type;
        to.base_url = base_url;
        BOOST_TEST((open(to) == Reason::address_changed), type << " " << base_url);
        const auto loosened = outcome(lenient, to, sealed);
        BOOST_TEST((loosened == (only_path ? std::optional<Reason>{} : Reason::address_changed)),
                   type << " " << base_url);
    }
    BOOST_TEST((UnsealError{Reason::address_changed}.what() ==
                std::string{"The provider now points to another address. Enter the key again."}));
}

BOOST_FIXTURE_TEST_CASE(another_installation_kind_or_ring_does_not_open, Vault) {
    // the same keys under another installation's name, as after a careless copy
    auto vault = test::copy(rings.vault_secret);
    vault.installation = test::another_installation();
    const Unsealer renamed{vault, rings.web_public, AddressRule::whole};
    BOOST_TEST((outcome(renamed, row, sealed) == Reason::damaged));
    // a mail with the fields of a key, to a vault ring in place of the mail ring
    const auto mail = sealer_to(EnvelopeKind::mail, rings.web_secret, rings.vault_public)
                          .seal(row.owner, {row.provider.text(), row.account->text(), row.type,
                                            row.base_url, plain_key});
    BOOST_TEST((open(mail) == Reason::damaged));
    auto as_key = mail;
    as_key[1] = '\1';
    BOOST_TEST((open(as_key) == Reason::damaged));
    const auto strangers = test::new_rings();
    const KeySealer misdirected{rings.web_secret, strangers.vault_public};
    BOOST_TEST((open(misdirected.seal(row, Secret{plain_key}).bytes()) == Reason::key_unavailable));
}

BOOST_FIXTURE_TEST_CASE(a_signature_must_be_ours, Vault) {
    const auto strangers = test::new_rings();
    const auto foreign = KeySealer{strangers.web_secret, rings.vault_public};
    BOOST_TEST((open(foreign.seal(row, Secret{plain_key}).bytes()) == Reason::key_unavailable));
    // the stranger says that it was us
    WebSecret liar{rings.web_secret.installation, rings.web_secret.active, {}};
    liar.keys.emplace(liar.active,
                      Secret{strangers.web_secret.keys.at(strangers.web_secret.active).reveal()});
    const KeySealer forger{liar, rings.vault_public};
    const auto forged = forger.seal(row, Secret{plain_key}).bytes();
    for (int attempt = 0; attempt < 2; ++attempt) BOOST_TEST((open(forged) == Reason::damaged));
    for (const std::string& plain : {std::string{}, std::string(63, 'x'), std::string(64, '\0'),
                                     std::string(64 + 128, '\0'), std::string(64 + 128, '\x80')})
        BOOST_TEST((open(encrypted(plain)) == Reason::damaged), plain.size());
}

BOOST_FIXTURE_TEST_CASE(what_was_verified_is_known_by_owner_and_every_byte, Vault) {
    VerifiedEnvelopes verified;
    const auto digest = VerifiedEnvelopes::digest_of(row.owner.text(), sealed.bytes());
    BOOST_TEST(!verified.contains(digest));
    verified.add(digest);
    BOOST_TEST(verified.contains(digest));
    auto changed = sealed.bytes();
    changed.back() = static_cast<char>(changed.back() ^ 1);
    const auto stranger = random_id<UserId>();
    BOOST_TEST(!verified.contains(VerifiedEnvelopes::digest_of(row.owner.text(), changed)));
    BOOST_TEST(!verified.contains(VerifiedEnvelopes::digest_of(stranger.text(), sealed.bytes())));
    auto neighbour = digest; // which belongs to the same place
    neighbour.back() = static_cast<unsigned char>(neighbour.back() ^ 1);
    BOOST_TEST(!verified.contains(neighbour));
    verified.add(neighbour);
    BOOST_TEST(verified.contains(neighbour));
    BOOST_TEST(!verified.contains(digest));
}

BOOST_FIXTURE_TEST_CASE(a_record_of_ours_must_have_its_fields, Vault) {
    const auto signer = sealer_to(EnvelopeKind::key, rings.web_secret, rings.vault_public);
    const auto sealed_with = [&](std::initializer_list<std::string_view> fields) {
        return signer.seal(row.owner, fields);
    };
    const auto& provider = row.provider.text();
    const auto& account = row.account->text();
    BOOST_TEST(!open(sealed_with({provider, account, row.type, row.base_url, plain_key})));
    for (const auto& bytes :
         {sealed_with({}), sealed_with({provider, account, row.type, row.base_url}),
          sealed_with({provider, account, row.type, row.base_url, plain_key, ""})})
        BOOST_TEST((open(bytes) == Reason::damaged));
}

BOOST_FIXTURE_TEST_CASE(a_rotated_ring_opens_as_long_as_it_keeps_the_key, Vault) {
    auto next = test::new_rings();
    const Unsealer without_vault{next.vault_secret, rings.web_public, AddressRule::whole};
    BOOST_TEST((outcome(without_vault, row, sealed) == Reason::key_unavailable));
    const Unsealer without_web{rings.vault_secret, next.web_public, AddressRule::whole};
    BOOST_TEST((outcome(without_web, row, sealed) == Reason::key_unavailable));
    const auto& old = rings.vault_secret;
    next.vault_secret.keys.emplace(old.active, Secret{old.keys.at(old.active).reveal()});
    next.web_public.keys.insert(*rings.web_public.keys.begin());
    const Unsealer with{next.vault_secret, next.web_public, AddressRule::whole};
    BOOST_TEST(!outcome(with, row, sealed));
    // the id is there, but it names another key (no ring file could say so)
    VaultSecret wrong{old.installation, old.active, {}};
    wrong.keys.emplace(old.active, Secret{test::counting(32)});
    const Unsealer mistaken{wrong, rings.web_public, AddressRule::whole};
    BOOST_TEST((outcome(mistaken, row, sealed) == Reason::damaged));
}

struct Boxed {
    WebSecret web = test::new_rings().web_secret;
    UserId user = random_id<UserId>();
    std::string row = random_uuid();
    std::string image = test::counting(1000);
    SealedAvatar sealed = seal_avatar(web, user, row, image);
};

BOOST_FIXTURE_TEST_CASE(opens_for_its_user_and_row_alone, Boxed) {
    BOOST_TEST((open_avatar(web, user, row, sealed) == image));
    BOOST_TEST((seal_avatar(web, user, row, image).bytes() != sealed.bytes()));
    BOOST_TEST(!open_avatar(web, random_id<UserId>(), row, sealed));
    BOOST_TEST(!open_avatar(web, user, random_uuid(), sealed));
}

BOOST_FIXTURE_TEST_CASE(the_stored_format_is_stable, Boxed) {
    const test::Vectors vectors;
    const auto golden = vectors.rings();
    const auto opened =
        open_avatar(golden.web_secret, vectors.id<UserId>("owner"), vectors.text("avatar row"),
                    SealedAvatar{vectors.bytes("sealed avatar")});
    BOOST_TEST((opened == vectors.text("image")));
}

BOOST_FIXTURE_TEST_CASE(a_flipped_or_missing_byte_does_not_open, Boxed) {
    for (std::size_t at = 0; at < sealed.bytes().size(); ++at) {
        auto bytes = sealed.bytes();
        bytes[at] = static_cast<char>(bytes[at] ^ 1);
        BOOST_TEST(!open_avatar(web, user, row, SealedAvatar{bytes}));
        BOOST_TEST(!open_avatar(web, user, row, SealedAvatar{sealed.bytes().substr(0, at)}));
    }
}

BOOST_FIXTURE_TEST_CASE(opens_as_long_as_the_ring_keeps_the_key, Boxed) {
    WebSecret rotated = test::new_rings().web_secret;
    BOOST_TEST(!open_avatar(rotated, user, row, sealed));
    rotated.keys.emplace(web.active, Secret{web.keys.at(web.active).reveal()});
    BOOST_TEST((open_avatar(rotated, user, row, sealed) == image));
    BOOST_TEST(!open_avatar(web, user, row, seal_avatar(rotated, user, row, image)));
}

// Computed by Python's hashlib. An app shows no right code under another mask than it began with.
BOOST_AUTO_TEST_CASE(the_mask_of_an_app_stays_and_is_of_its_key_user_and_salt) {
    const test::Vectors vectors;
    const auto auth = vectors.rings().auth_secret;
    const auto owner = vectors.id<UserId>("owner");
    const std::string key = auth.active.text(), salt = test::counting(16);
    const auto mask = app_mask(auth, key, owner, salt);
    BOOST_TEST((mask == test::from_hex("21dfd0c0145ea2d794e065ab67ebca0705085422")));
    BOOST_TEST((app_mask(auth, key, random_id<UserId>(), salt) != mask));
    BOOST_TEST((app_mask(auth, key, owner, test::counting(16, 1)) != mask));
    for (const std::string& other : {std::string(32, '0'), std::string{"none"}})
        BOOST_TEST(!app_mask(auth, other, owner, salt));
}
} // namespace
} // namespace usershell::crypto
