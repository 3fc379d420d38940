// Few pictures at a time, one of each user, without waiting.
#include "images/decode_permits.hpp"

#include "base/error.hpp"

#include <boost/test/unit_test.hpp>

#include <optional>

using namespace usershell;
using namespace usershell::images;

namespace {

UserId user(char digit) {
    return UserId::parse("00000000-0000-4000-8000-00000000000" + std::string{digit}).value();
}

/// Has a permit from construction to destruction.
struct Taken {
    Taken(DecodePermits& permits, const UserId& who) : permit{permits.take(who)} {}
    DecodePermits::Permit permit;
};

} // namespace

BOOST_AUTO_TEST_SUITE(decode_permits)

BOOST_AUTO_TEST_CASE(who_finds_no_place_is_told_when_to_come_again) {
    DecodePermits permits{2};
    const auto refused = [&](char who) {
        try {
            permits.take(user(who));
            return std::string{};
        } catch (const Refusal& refusal) {
            BOOST_TEST(refusal.status() == 503);
            BOOST_TEST((refusal.retry_after() == std::chrono::seconds{1}));
            return refusal.sentence().substr(0, 7);
        }
    };
    BOOST_TEST(refused('1').empty());
    std::optional<Taken> first{std::in_place, permits, user('1')};
    BOOST_TEST(refused('1') == "Another");
    const Taken second{permits, user('2')};
    BOOST_TEST(refused('3') == "Too man");
    first.reset();
    BOOST_TEST(refused('2') == "Another");
    BOOST_TEST(refused('1').empty());
    BOOST_TEST(refused('3').empty());
}

BOOST_AUTO_TEST_SUITE_END()
