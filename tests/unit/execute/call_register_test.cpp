#include "execute/calls/call_register.hpp"

#include "tests/unit/app/support.hpp"
#include "tests/unit/execute/support.hpp"
#include "tests/unit/web/refusal_check.hpp"

#include <boost/test/unit_test.hpp>

#include <deque>

using namespace usershell;
using namespace usershell::execute;
using namespace usershell::test;

namespace {

constexpr std::size_t plenty = static_cast<std::size_t>(-1);

std::string one_more(CallRegister& all) {
    return outcome_of([&all] { const CallRegister::Place place{all}; });
}

} // namespace

BOOST_AUTO_TEST_SUITE(call_register)

BOOST_AUTO_TEST_CASE(calls_are_bounded_by_their_number) {
    CallRegister all{3, plenty};
    std::deque<CallRegister::Place> places;
    for (int i = 0; i < 3; ++i) places.emplace_back(all);
    BOOST_TEST(one_more(all) == "unavailable");
    places.pop_front();
    BOOST_TEST(one_more(all) == "served");
}

BOOST_AUTO_TEST_CASE(calls_are_bounded_by_the_memory_of_the_process) {
    CallRegister all{3, 4096};
    BOOST_TEST(one_more(all) == "unavailable");
}

BOOST_AUTO_TEST_CASE(a_call_is_due_until_it_is_renewed) {
    CallRegister all{3, plenty};
    CallRegister::Place first{all};
    CallRegister::Place second{all};
    const CallRegister::Place not_begun{all};
    first.begun({somebody(), "first"});
    second.begun({somebody(), "second"});
    BOOST_TEST(all.due(std::chrono::hours{1}).empty());
    const auto due = all.due(std::chrono::seconds{0});
    BOOST_TEST(due.size() == 2U);
    const auto later = std::chrono::steady_clock::now() + std::chrono::hours{1};
    const auto others = all.renewed(due, {"second", "unknown"}, later);
    BOOST_REQUIRE(others.size() == 1U);
    BOOST_TEST(others[0].id == "first");
    const auto still = all.due(std::chrono::seconds{0});
    BOOST_REQUIRE(still.size() == 1U);
    BOOST_TEST(still[0].id == "first");
}

BOOST_AUTO_TEST_CASE(calls_that_were_not_renewed_are_ended) {
    CallRegister all{3, plenty};
    const std::vector<store::Call> calls{{somebody(), "first"}, {somebody(), "second"}};
    std::deque<Recorder> answers(3);
    std::deque<CallRegister::Place> places;
    for (Recorder& answer : answers) {
        answer.gate().close(); // the client does not read
        places.emplace_back(all);
    }
    places[0].begun(calls[0]);
    places[1].begun({somebody(), "another"});
    for (std::size_t i = 0; i < answers.size(); ++i) places[i].answers(&answers[i]);
    all.end(calls);
    BOOST_TEST(answers[0].departure().has_happened());
    BOOST_TEST(answers[0].gate().is_open());
    for (const std::size_t other : {1U, 2U}) {
        BOOST_TEST(!answers[other].departure().has_happened());
        BOOST_TEST(!answers[other].gate().is_open());
    }
    places[1].begun(calls[1]);
    places[1].answers(nullptr); // it has just ended by itself
    all.end(calls);
    BOOST_TEST(!answers[1].departure().has_happened());
}

BOOST_AUTO_TEST_CASE(memory_is_given_back_after_a_burst) {
    CallRegister all{1000, plenty};
    std::deque<CallRegister::Place> places;
    for (int i = 0; i < 200; ++i) places.emplace_back(all);
    BOOST_TEST(!all.give_back_memory());
    while (places.size() > 101) places.pop_back();
    BOOST_TEST(!all.give_back_memory());
    while (places.size() > 99) places.pop_back();
    BOOST_TEST(all.give_back_memory());
    BOOST_TEST(!all.give_back_memory(), "until there has been another");
    places.clear();
    BOOST_TEST(all.give_back_memory());
    for (int i = 0; i < 60; ++i) places.emplace_back(all);
    places.clear();
    BOOST_TEST(!all.give_back_memory(), "for so few");
}

BOOST_AUTO_TEST_SUITE_END()
