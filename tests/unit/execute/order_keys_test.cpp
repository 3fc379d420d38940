#include "execute/calls/key_failover.hpp"
#include "tests/unit/execute/support.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>
#include <string>

using namespace usershell;
using namespace usershell::execute;
using namespace usershell::test;

namespace {

std::string order(const store::CallProvider& provider, std::uint64_t position) {
    std::string names;
    for (const store::CallKey* key : order_keys(provider, position)) names += key->name;
    return names;
}

store::CallProvider with(std::vector<store::CallKey> accounts, bool rotating = true) {
    store::CallProvider provider = bare_provider();
    provider.round_robin_accounts = rotating;
    provider.own_key = bare_key("own");
    provider.accounts = std::move(accounts);
    return provider;
}

constexpr bool on = true;
constexpr bool off = false;
constexpr bool is_in_cooldown = true;

} // namespace

BOOST_AUTO_TEST_SUITE(keys_in_order)

BOOST_AUTO_TEST_CASE(rotation_starts_one_further_each_time_and_wraps) {
    const store::CallProvider provider = with({bare_key("a"), bare_key("b"), bare_key("c")});
    const struct {
        std::uint64_t position;
        std::string order;
    } table[] = {
        {0, "abc"}, {1, "bca"},
        {2, "cab"}, {3, "abc"},
        {7, "bca"}, {std::numeric_limits<std::uint64_t>::max(), "abc"}, // divisible by three
    };
    for (const auto& row : table) BOOST_TEST(order(provider, row.position) == row.order);
}

BOOST_AUTO_TEST_CASE(disabled_accounts_are_no_part_of_it) {
    const store::CallProvider provider =
        with({bare_key("a"), bare_key("x", off), bare_key("b"), bare_key("y", off)});
    BOOST_TEST(order(provider, 0) == "ab");
    BOOST_TEST(order(provider, 1) == "ba");
    BOOST_TEST(order(provider, 2) == "ab");
}

BOOST_AUTO_TEST_CASE(keys_in_cooldown_come_last_in_their_order) {
    const struct {
        std::vector<store::CallKey> accounts;
        std::uint64_t position;
        std::string order;
    } table[] = {
        {{bare_key("a", on, is_in_cooldown), bare_key("b"), bare_key("c")}, 0, "bca"},
        {{bare_key("a"), bare_key("b", on, is_in_cooldown), bare_key("c")}, 1, "cab"},
        {{bare_key("a", on, is_in_cooldown), bare_key("b", on, is_in_cooldown), bare_key("c")},
         1,
         "cba"},
        {{bare_key("a", on, is_in_cooldown), bare_key("b", on, is_in_cooldown)}, 1, "ba"},
        {{bare_key("a", off, is_in_cooldown), bare_key("b")}, 0, "b"},
        {{bare_key("a", on, is_in_cooldown)}, 5, "a"},
    };
    for (const auto& row : table) BOOST_TEST(order(with(row.accounts), row.position) == row.order);
}

BOOST_AUTO_TEST_CASE(the_providers_own_key_stands_in) {
    const struct {
        store::CallProvider provider;
        std::string order;
    } table[] = {
        {with({}), "own"},
        {with({bare_key("a", off)}), "own"},
        {with({bare_key("a"), bare_key("b")}, false), "own"},
        {with({bare_key("a")}), "a"},
    };
    for (const auto& row : table)
        for (const std::uint64_t position : {0U, 1U, 2U})
            BOOST_TEST(order(row.provider, position) == row.order);
}

BOOST_AUTO_TEST_CASE(without_any_key_there_is_none) {
    store::CallProvider provider = with({bare_key("a", off)});
    provider.own_key.reset();
    BOOST_TEST(order(provider, 0) == "");
    provider.accounts = {bare_key("a")};
    BOOST_TEST(order(provider, 0) == "a");
}

BOOST_AUTO_TEST_SUITE_END()
