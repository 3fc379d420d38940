#include "crypto/avatar_box.hpp"
#include "tests/unit/crypto/support.hpp"
namespace usershell::crypto {
namespace {
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
} // namespace
} // namespace usershell::crypto
