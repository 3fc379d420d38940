// Sealed keys, and the vectors of docs/security.md.
#include "crypto/envelope/sealers.hpp"
#include "tests/unit/crypto/support.hpp"
namespace usershell::crypto {
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
} // namespace
} // namespace usershell::crypto
