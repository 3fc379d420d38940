#include "execute/calls/call_register.hpp"
#include "tests/unit/execute/support.hpp"
#include "tests/unit/pipeline/support.hpp"
#include "tests/unit/web/refusal_check.hpp"
#include <deque>
using namespace usershell::execute;
namespace {
constexpr std::size_t plenty = static_cast<std::size_t>(-1);
std::string one_more(CallRegister& all) {
    return outcome_of([&all] { const CallRegister::Slot slot{all}; });
}

BOOST_AUTO_TEST_CASE(calls_are_bounded_by_their_number_and_the_processs_memory) {
    CallRegister all{3, plenty};
    std::deque<CallRegister::Slot> slots;
    for (int i = 0; i < 3; ++i) slots.emplace_back(all);
    BOOST_TEST(one_more(all) == "unavailable");
    slots.pop_front();
    BOOST_TEST(one_more(all) == "served");
    CallRegister large{3, 4096};
    BOOST_TEST(one_more(large) == "unavailable");
}

BOOST_AUTO_TEST_CASE(a_call_is_due_until_it_is_renewed) {
    CallRegister all{3, plenty};
    CallRegister::Slot first{all};
    CallRegister::Slot second{all};
    const CallRegister::Slot not_begun{all};
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
    const std::vector<store::CallId> calls{{somebody(), "first"}, {somebody(), "second"}};
    std::deque<Recorder> answers(3);
    std::deque<CallRegister::Slot> slots;
    for (Recorder& answer : answers) {
        answer.writable().reset(); // the client does not read
        slots.emplace_back(all);
    }
    slots[0].begun(calls[0]);
    slots[1].begun({somebody(), "another"});
    for (std::size_t i = 0; i < answers.size(); ++i) slots[i].answers(&answers[i]);
    all.end(calls);
    BOOST_TEST(answers[0].cancellation().is_cancelled());
    BOOST_TEST(answers[0].writable().is_set());
    for (const std::size_t other : {1U, 2U}) {
        BOOST_TEST(!answers[other].cancellation().is_cancelled());
        BOOST_TEST(!answers[other].writable().is_set());
    }
    slots[1].begun(calls[1]);
    slots[1].answers(nullptr); // the call has ended
    all.end(calls);
    BOOST_TEST(!answers[1].cancellation().is_cancelled());
}

BOOST_AUTO_TEST_CASE(memory_is_given_back_after_a_burst) {
    CallRegister all{1000, plenty};
    std::deque<CallRegister::Slot> slots;
    for (int i = 0; i < 200; ++i) slots.emplace_back(all);
    BOOST_TEST(!all.give_back_memory());
    while (slots.size() > 101) slots.pop_back();
    BOOST_TEST(!all.give_back_memory());
    while (slots.size() > 99) slots.pop_back();
    BOOST_TEST(all.give_back_memory());
    BOOST_TEST(!all.give_back_memory(), "until there has been another");
    slots.clear();
    BOOST_TEST(all.give_back_memory());
    for (int i = 0; i < 60; ++i) slots.emplace_back(all);
    slots.clear();
    BOOST_TEST(!all.give_back_memory(), "for so few");
}
} // namespace
