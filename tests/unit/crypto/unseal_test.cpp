#include "crypto/unseal/unseal.hpp"

#include "crypto/fields.hpp"
#include "crypto/signing.hpp"
#include "crypto/token.hpp"
#include "support.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sodium.h>

namespace usershell::crypto {

std::ostream& operator<<(std::ostream& out, UnsealError::Reason reason) {
    return out << static_cast<int>(reason);
}

namespace {

using Reason = UnsealError::Reason;

const std::string plain_key = "sk-canary-5f1e0d9c8b7a6";

unsigned char* raw(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const unsigned char* raw(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

std::string box_seal(std::string_view plain, const std::string& public_key) {
    std::string sealed(plain.size() + crypto_box_SEALBYTES, '\0');
    BOOST_REQUIRE(crypto_box_seal(raw(sealed), raw(plain), plain.size(), raw(public_key)) == 0);
    return sealed;
}

std::string padded(std::string record) {
    record += '\x80';
    while (record.size() % 128 != 0) record += '\0';
    return record;
}

/// What happened: a reason, or nothing when the key came out as it went in.
std::optional<Reason> outcome(const Unsealer& unsealer, const KeyBinding& row, const Scope& scope,
                              const SealedKey& sealed) {
    try {
        BOOST_TEST((unsealer.open(row, scope, sealed).reveal() == plain_key));
        return std::nullopt;
    } catch (const UnsealError& error) {
        BOOST_TEST(std::string{error.what()}.find("canary") == std::string::npos);
        return error.reason();
    }
}

std::optional<Reason> mail_outcome(const Unsealer& unsealer, const std::string& id,
                                   const SealedMail& mail) {
    try {
        BOOST_TEST((unsealer.open_mail(id, mail).reveal() == plain_key));
        return std::nullopt;
    } catch (const UnsealError& error) {
        return error.reason();
    }
}

struct Vault {
    test::Rings rings = test::new_rings();
    Sealer sealer{rings.vault_public, rings.web_secret};
    Unsealer unsealer{test::copy(rings.vault_secret), rings.web_public};
    KeyBinding row{random_id<UserId>(), random_id<ProviderId>(), random_id<AccountId>(),
                   "https://api.example.com"};
    Scope scope = sealer.make_scope(row.owner);
    SealedKey sealed = sealer.seal(row, Secret{plain_key}, scope.public_key);

    std::optional<Reason> open(const KeyBinding& as) const {
        return outcome(unsealer, as, scope, sealed);
    }
    std::optional<Reason> open(const Scope& with, const SealedKey& bytes) const {
        return outcome(unsealer, row, with, bytes);
    }

    /// What crypto_box_seal gets: id, signature and padded record, each as it is wanted.
    std::string signed_by(const WebSecret& web, std::string_view record) const {
        const auto pair = derive_signing_pair(web.seeds.at(web.active));
        std::string signature(crypto_sign_BYTES, '\0');
        crypto_sign_detached(raw(signature), nullptr, raw(record), record.size(),
                             raw(pair.secret_key.reveal()));
        return web.active + signature + std::string{record};
    }
    std::string record(std::string_view version = "usershell key 1") const {
        return joined({version, row.owner.text(), row.provider.text(), row.account->text(),
                       row.origin, plain_key});
    }
    SealedKey seal_plain(std::string_view plain) const {
        return SealedKey{box_seal(plain, scope.public_key)};
    }
    SealedScope seal_scope(std::string_view plain) const {
        return SealedScope{box_seal(plain, rings.vault_public.public_key)};
    }
};

BOOST_FIXTURE_TEST_SUITE(unseal, Vault)

BOOST_AUTO_TEST_CASE(keys_of_every_length_come_back) {
    for (std::size_t size = 0; size <= 4200; size += size < 300 ? 1 : 391) {
        const std::string key(size, 'k');
        const auto back =
            unsealer.open(row, scope, sealer.seal(row, Secret{key}, scope.public_key));
        BOOST_TEST((back.reveal() == key));
    }
}

BOOST_AUTO_TEST_CASE(any_bytes_come_back) {
    const std::string key = test::counting(256) + std::string(3, '\0') + "\x80";
    const auto back = unsealer.open(row, scope, sealer.seal(row, Secret{key}, scope.public_key));
    BOOST_TEST((back.reveal() == key));
}

BOOST_AUTO_TEST_CASE(provider_level_and_global_keys_open) {
    row.account.reset();
    BOOST_TEST(!open(scope, sealer.seal(row, Secret{plain_key}, scope.public_key)));

    const KeyBinding global{global_owner(), row.provider, std::nullopt, row.origin};
    const auto global_scope = sealer.make_scope(global_owner());
    const auto global_key = sealer.seal(global, Secret{plain_key}, global_scope.public_key);
    BOOST_TEST(!outcome(unsealer, global, global_scope, global_key));
    BOOST_TEST((open(global_scope, global_key) == Reason::moved)); // as the user's own
    BOOST_TEST((outcome(unsealer, global, scope, sealed) == Reason::moved));
}

BOOST_AUTO_TEST_CASE(the_stored_format_is_stable) {
    // Made once with Python's hashlib and libsodium by ctypes, not with this code. If this fails,
    // keys that people have stored no longer open.
    WebSecret web{"00112233445566aa", {}};
    web.seeds.emplace(web.active, Secret{test::counting(32)});
    const auto verify = test::from_base64("c/w7YK5yx5UcWdW7FpY7snIw1QOGp6REcPrTmeWeAzg=");
    BOOST_TEST((derive_signing_pair(web.seeds.at(web.active)).public_key == verify));

    VaultSecret vault{"ffeeddccbbaa9988", {}};
    vault.keys.emplace(vault.active, Secret{test::counting(32, 100)});
    const Unsealer golden{std::move(vault), {web.active, {{web.active, verify}}}};
    const Scope stored_scope{
        "ffeeddccbbaa9988", test::from_base64("TVuribBzPZ2Nzs8E8yHJC3Ybd2WmvbK92/rT56vfH2Y="),
        SealedScope{test::from_base64("vMQ91lXUwQxHVVS6EwZNNLfSAupZR2/"
                                      "jwUKrxAWQ0kgF1qPjd0rEyvFitTXlzoHsL/gkBkH1L5XFKYR4uyH04FHF"
                                      "pBsi0LBCXRbANX2CjNhj8aEt16j6cWgMSYzm/"
                                      "CJKBedGT39G3jOIhX6Ofv4awE+POREdRZcUl3spX980Bpnqpcke"
                                      "J9Ud4jWKUv3wcLOGeg==")}};
    const SealedKey stored_key{test::from_base64(
        "VCkXnZ22iYwZsjhSIyDQjJCNWz2Wo8YQ3t912TExOUtpdvwdQlkjPW2DqNQGDBz2hrwbIyDi5AlMg3Zhgvw562yFHD"
        "8T"
        "YJO6boTc4f6IebJxxu64200R9oXwZTjjA2O38cdNSAOhx9ivWkn4i6uB/30jA7tpxEdgHMw3wI5CqWvbOa3wVK/"
        "YM5ID"
        "2JWB+"
        "QOcOx030AORi5eevntHFuAKcXtSZ3JwrE1grufRWMMvpbZgVBkuaJ84pzM7QVCljsHSQRilOdGJGs4OzGqsGjoo"
        "eeqntLW+hi7fTxYRhEkpjV7+r4oWbQcmdFBno5imLyAy5+/"
        "YAs1o8etIVw8H8YTLU93kE81jm4EyKiYHIfuYMzi+vTnt"
        "1+"
        "wTPVaAAVmYrVRdDf85KXN3ujPkQCLChWKlWOSJLEAx5r5KHcLU71uqxruTgCxtPwTjVmlt08PzpaoihTcaumXtUL/X"
        "K4VDwnqeTKIuWaJ8S6zvomT4p9svaC7utTYgVi573LfVsEMnDJ03")};
    const KeyBinding stored_row{*UserId::parse("3f0c1a52-8d0e-4c6b-9a6e-2b7f5d1c9e01"),
                                *ProviderId::parse("7a9b6c1d-2e3f-4a5b-8c6d-7e8f9a0b1c2d"),
                                *AccountId::parse("c0ffee00-1234-4abc-9def-00112233aabb"),
                                "https://api.example.com"};
    BOOST_TEST(
        (golden.open(stored_row, stored_scope, stored_key).reveal() == "sk-golden-0123456789"));
}

BOOST_AUTO_TEST_CASE(a_flipped_byte_of_the_key_is_damage) {
    for (std::size_t at = 0; at < sealed.bytes().size(); ++at) {
        for (const int flip : {0x01, 0x80, 0xff}) {
            auto bytes = sealed.bytes();
            bytes[at] = static_cast<char>(bytes[at] ^ flip);
            BOOST_TEST((open(scope, SealedKey{bytes}) == Reason::damaged), at);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_flipped_byte_of_the_scope_is_damage) {
    for (std::size_t at = 0; at < scope.secret.bytes().size(); ++at) {
        for (const int flip : {0x01, 0x80, 0xff}) {
            auto bytes = scope.secret.bytes();
            bytes[at] = static_cast<char>(bytes[at] ^ flip);
            const Scope changed{scope.ring_key, scope.public_key, SealedScope{bytes}};
            BOOST_TEST((open(changed, sealed) == Reason::damaged), at);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_flipped_byte_beside_the_scope_is_noticed) {
    for (std::size_t at = 0; at < scope.public_key.size(); ++at) {
        auto changed = scope;
        changed.public_key[at] = static_cast<char>(changed.public_key[at] ^ 0x80);
        BOOST_TEST((open(changed, sealed) == Reason::damaged), at);
    }
    for (std::size_t at = 0; at < scope.ring_key.size(); ++at) {
        auto changed = scope;
        changed.ring_key[at] = static_cast<char>(changed.ring_key[at] ^ 0x01);
        BOOST_TEST((open(changed, sealed) == Reason::key_unavailable), at);
    }
}

BOOST_AUTO_TEST_CASE(a_flipped_byte_inside_the_seal_is_noticed) {
    // someone who knows the scope's public key, but not the signing key, seals anew
    const auto plain = signed_by(rings.web_secret, padded(record()));
    BOOST_TEST(!open(scope, seal_plain(plain)));
    for (std::size_t at = 0; at < plain.size(); ++at) {
        auto changed = plain;
        changed[at] = static_cast<char>(changed[at] ^ 0x01);
        const auto expected = at < 16 ? Reason::key_unavailable : Reason::damaged;
        BOOST_TEST((open(scope, seal_plain(changed)) == expected), at);
    }
}

BOOST_AUTO_TEST_CASE(cut_short_at_every_length_is_damage) {
    for (std::size_t size = 0; size < sealed.bytes().size(); ++size)
        BOOST_TEST((open(scope, SealedKey{sealed.bytes().substr(0, size)}) == Reason::damaged),
                   size);
    for (std::size_t size = 0; size < scope.secret.bytes().size(); ++size) {
        const Scope cut{scope.ring_key, scope.public_key,
                        SealedScope{scope.secret.bytes().substr(0, size)}};
        BOOST_TEST((open(cut, sealed) == Reason::damaged), size);
    }
    auto cut = scope;
    cut.public_key.pop_back();
    BOOST_TEST((open(cut, sealed) == Reason::damaged));
    BOOST_TEST((open(scope, SealedKey{sealed.bytes() + '\0'}) == Reason::damaged));
}

BOOST_AUTO_TEST_CASE(cut_short_inside_the_seal_is_refused) {
    const auto plain = signed_by(rings.web_secret, padded(record()));
    for (std::size_t size = 0; size < plain.size(); ++size)
        BOOST_TEST(open(scope, seal_plain(plain.substr(0, size))).has_value(), size);
    // and so is a record that our own signer cut
    const auto whole = record();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto cut = signed_by(rings.web_secret, padded(whole.substr(0, size)));
        BOOST_TEST((open(scope, seal_plain(cut)) == Reason::damaged), size);
    }
}

BOOST_AUTO_TEST_CASE(another_format_is_damage) {
    const std::vector<std::string> records{
        padded(record("usershell key 2")),
        padded(record("")),
        padded(record() + joined({"more"})),
        padded(record() + "x"),
        padded(""),
        "",
        record(),
        std::string(128, '\0'),
        std::string(127, '\0') + '\x80',
    };
    for (const auto& each : records)
        BOOST_TEST((open(scope, seal_plain(signed_by(rings.web_secret, each))) == Reason::damaged));
}

BOOST_AUTO_TEST_CASE(another_format_of_scope_is_damage) {
    const std::string secret = test::counting(32, 7);
    std::string public_key(32, '\0');
    crypto_scalarmult_base(raw(public_key), raw(secret));
    const auto with = [&](std::string_view plain) {
        const Scope made{scope.ring_key, public_key, seal_scope(plain)};
        return open(made, sealer.seal(row, Secret{plain_key}, public_key));
    };
    const auto& owner = row.owner.text();
    BOOST_TEST(!with(joined({"usershell scope 1", owner, secret})));
    for (const auto& plain : {joined({"usershell scope 2", owner, secret}), joined({owner, secret}),
                              joined({"usershell scope 1", owner, secret, ""}),
                              joined({"usershell scope 1", owner, secret.substr(1)}),
                              joined({"usershell scope 1", owner, secret + "x"}),
                              joined({"usershell scope 1", owner}), secret, std::string{}})
        BOOST_TEST((with(plain) == Reason::damaged));
}

BOOST_AUTO_TEST_CASE(another_signer_is_refused) {
    const auto strangers = test::new_rings();
    const Sealer stranger{rings.vault_public, strangers.web_secret};
    BOOST_TEST((open(scope, stranger.seal(row, Secret{plain_key}, scope.public_key)) ==
                Reason::key_unavailable));

    // the stranger says that it was us
    auto plain = signed_by(strangers.web_secret, padded(record()));
    plain.replace(0, 16, rings.web_secret.active);
    BOOST_TEST((open(scope, seal_plain(plain)) == Reason::damaged));
}

BOOST_AUTO_TEST_CASE(a_moved_row_is_refused) {
    BOOST_TEST(!open(row));
    const std::pair<const char*, std::function<void(KeyBinding&)>> moves[] = {
        {"user", [](KeyBinding& to) { to.owner = random_id<UserId>(); }},
        {"provider", [](KeyBinding& to) { to.provider = random_id<ProviderId>(); }},
        {"account", [](KeyBinding& to) { to.account = random_id<AccountId>(); }},
        {"account to provider level", [](KeyBinding& to) { to.account.reset(); }},
    };
    for (const auto& [what, move] : moves) {
        auto to = row;
        move(to);
        BOOST_TEST((open(to) == Reason::moved), what);
    }
    const KeyBinding level{row.owner, row.provider, std::nullopt, row.origin};
    BOOST_TEST(
        (open(scope, sealer.seal(level, Secret{plain_key}, scope.public_key)) == Reason::moved));
}

BOOST_AUTO_TEST_CASE(another_users_ciphertext_does_not_open) {
    auto theirs = row;
    theirs.owner = random_id<UserId>();
    const auto their_scope = sealer.make_scope(theirs.owner);
    // copied into their row, with their scope: it is not sealed to them
    BOOST_TEST((outcome(unsealer, theirs, their_scope, sealed) == Reason::damaged));
    // copied with the scope
    BOOST_TEST((outcome(unsealer, theirs, scope, sealed) == Reason::moved));
    // sealed to them, but signed for us
    const auto resealed = sealer.seal(row, Secret{plain_key}, their_scope.public_key);
    BOOST_TEST((outcome(unsealer, theirs, their_scope, resealed) == Reason::moved));
    // signed for them, but sealed to us, because someone gave their row our scope
    const auto lured = sealer.seal(theirs, Secret{plain_key}, scope.public_key);
    BOOST_TEST((outcome(unsealer, theirs, scope, lured) == Reason::moved));
}

BOOST_AUTO_TEST_CASE(another_origin_is_held_back_unless_the_operator_says_otherwise) {
    auto elsewhere = row;
    for (const std::string origin :
         {"https://evil.example", "http://api.example.com", "https://api.example.com:8443",
          "https://api.example.co", ""}) {
        elsewhere.origin = origin;
        BOOST_TEST((open(elsewhere) == Reason::other_origin), origin);
    }
    const Unsealer lenient{test::copy(rings.vault_secret), rings.web_public, false};
    BOOST_TEST(!outcome(lenient, elsewhere, scope, sealed));
    elsewhere.provider = random_id<ProviderId>();
    BOOST_TEST((outcome(lenient, elsewhere, scope, sealed) == Reason::moved));
    BOOST_TEST((open(elsewhere) == Reason::moved)); // the graver reason is the one that is told
    BOOST_TEST((UnsealError{Reason::other_origin}.what() ==
                std::string{"The base URL now points to another host. Enter the key again."}));
}

BOOST_AUTO_TEST_CASE(a_rotated_vault_ring_opens_as_long_as_it_keeps_the_key) {
    VaultSecret rotated{"ffffffffffffffff", {}};
    rotated.keys.emplace(rotated.active, Secret{test::counting(32)});
    const Unsealer without{test::copy(rotated), rings.web_public};
    BOOST_TEST((outcome(without, row, scope, sealed) == Reason::key_unavailable));

    const auto& old = rings.vault_secret;
    rotated.keys.emplace(old.active, Secret{old.keys.at(old.active).reveal()});
    const Unsealer with{std::move(rotated), rings.web_public};
    BOOST_TEST(!outcome(with, row, scope, sealed));

    // the id is there, but it names another key
    VaultSecret wrong{old.active, {}};
    wrong.keys.emplace(old.active, Secret{test::counting(32)});
    const Unsealer mistaken{test::copy(wrong), rings.web_public};
    BOOST_TEST((outcome(mistaken, row, scope, sealed) == Reason::damaged));
}

BOOST_AUTO_TEST_CASE(a_rotated_web_ring_opens_as_long_as_it_keeps_the_key) {
    const auto next = test::new_rings().web_public;
    const Unsealer without{test::copy(rings.vault_secret), next};
    BOOST_TEST((outcome(without, row, scope, sealed) == Reason::key_unavailable));

    auto both = next;
    both.verify_keys.insert(*rings.web_public.verify_keys.begin());
    const Unsealer with{test::copy(rings.vault_secret), both};
    BOOST_TEST(!outcome(with, row, scope, sealed));
}

BOOST_AUTO_TEST_CASE(a_ring_with_keys_of_another_size_is_refused) {
    VaultSecret short_key{"00112233445566aa", {}};
    short_key.keys.emplace(short_key.active, Secret{"short"});
    BOOST_CHECK_THROW((Unsealer{test::copy(short_key), rings.web_public}), std::invalid_argument);
    const WebPublic short_verify{"00112233445566aa", {{"00112233445566aa", "short"}}};
    BOOST_CHECK_THROW((Unsealer{test::copy(rings.vault_secret), short_verify}),
                      std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(a_mail_opens_under_its_id_alone) {
    for (const std::size_t size : {0U, 1U, 127U, 128U, 5000U}) {
        const std::string content(size, 'm');
        BOOST_TEST((unsealer.open_mail("17", sealer.seal_mail("17", content)).reveal() == content));
    }
    const auto mail = sealer.seal_mail("17", plain_key);
    BOOST_TEST(mail.bytes().find("canary") == std::string::npos);
    BOOST_TEST((mail_outcome(unsealer, "17", mail) == std::nullopt));
    for (const std::string id : {"18", "1", "170", ""})
        BOOST_TEST((mail_outcome(unsealer, id, mail) == Reason::moved), id);
}

BOOST_AUTO_TEST_CASE(a_changed_or_cut_mail_does_not_open) {
    const auto bytes = sealer.seal_mail("17", plain_key).bytes();
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        const auto expected = at < ring_key_id_size ? Reason::key_unavailable : Reason::damaged;
        for (const int flip : {0x01, 0x80, 0xff}) {
            auto changed = bytes;
            changed[at] = static_cast<char>(changed[at] ^ flip);
            BOOST_TEST((mail_outcome(unsealer, "17", SealedMail{changed}) == expected), at);
        }
        const SealedMail cut{bytes.substr(0, at)};
        BOOST_TEST((mail_outcome(unsealer, "17", cut) == expected), at);
    }
    BOOST_TEST((mail_outcome(unsealer, "17", SealedMail{bytes + '\0'}) == Reason::damaged));
}

BOOST_AUTO_TEST_CASE(a_mail_of_another_signer_or_for_another_ring_does_not_open) {
    const auto strangers = test::new_rings();
    const auto foreign =
        Sealer{rings.vault_public, strangers.web_secret}.seal_mail("17", plain_key);
    BOOST_TEST((mail_outcome(unsealer, "17", foreign) == Reason::key_unavailable));
    const auto misdirected =
        Sealer{strangers.vault_public, rings.web_secret}.seal_mail("17", plain_key);
    BOOST_TEST((mail_outcome(unsealer, "17", misdirected) == Reason::key_unavailable));
}

BOOST_AUTO_TEST_CASE(a_mail_and_a_key_never_pass_for_each_other) {
    const auto to_vault = [&](std::string_view version) {
        const auto plain = signed_by(rings.web_secret, padded(joined({version, "17", plain_key})));
        return SealedMail{rings.vault_public.active +
                          box_seal(plain, rings.vault_public.public_key)};
    };
    BOOST_TEST((mail_outcome(unsealer, "17", to_vault("usershell mail 1")) == std::nullopt));
    BOOST_TEST((mail_outcome(unsealer, "17", to_vault("usershell key 1")) == Reason::damaged));
    BOOST_TEST((mail_outcome(unsealer, "17", to_vault("usershell scope 1")) == Reason::damaged));
    const auto as_key = signed_by(rings.web_secret, padded(record("usershell mail 1")));
    BOOST_TEST((open(scope, seal_plain(as_key)) == Reason::damaged));
}

BOOST_AUTO_TEST_CASE(every_reason_has_a_sentence_of_its_own) {
    std::vector<std::string> sentences;
    for (const auto reason :
         {Reason::key_unavailable, Reason::damaged, Reason::moved, Reason::other_origin}) {
        const UnsealError error{reason};
        BOOST_TEST((error.reason() == reason));
        for (const auto& earlier : sentences) BOOST_TEST(error.what() != earlier);
        sentences.emplace_back(error.what());
    }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace usershell::crypto
