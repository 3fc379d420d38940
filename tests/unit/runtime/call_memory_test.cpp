// Memory is given to one user, taken from another, and all of it is given back.
#include "runtime/call_memory.hpp"
#include "tests/unit/run_on.hpp"
#include "tests/unit/test.hpp"
using namespace usershell;
namespace {
constexpr std::size_t one_step = CallMemory::free_bytes;
UserId user(char last) {
    return UserId::parse(std::string{"00000000-0000-4000-8000-00000000000"} + last).value();
}
/// A call with one buffer and the signals that it ends by.
struct OneCall {
    OneCall(Loop& loop, MemoryShares& shares, UserId of)
        : writable{loop},
          memory{shares, std::move(of)},
          part{&memory} {
        memory.ends(&cancellation, &writable);
        writable.reset();
    }
    CancellationToken cancellation;
    AsyncEvent writable;
    CallMemory memory;
    CallMemory::Part part;
};
} // namespace
BOOST_AUTO_TEST_CASE(the_first_bytes_of_each_buffer_are_the_calls_own) {
    Loop loop;
    MemoryShares none{loop, 0, 0};
    CallMemory memory{none, user('1')};
    CallMemory::Part first{&memory};
    CallMemory::Part second{&memory};
    BOOST_TEST((first.hold(one_step) && second.grow_to(one_step)));
    BOOST_TEST(none.taken() == 0U);
    BOOST_TEST((!memory.is_lost() && !first.hold(one_step + 1) && memory.is_lost()));
    BOOST_TEST(second.hold(one_step)); // what a lost call says still fits
    settle(loop);
}
BOOST_AUTO_TEST_CASE(parts_hold_what_they_need_in_steps) {
    Loop loop;
    MemoryShares shares{loop, 100 * one_step, 50 * one_step};
    CallMemory memory{shares, user('1')};
    {
        CallMemory::Part part{&memory};
        BOOST_TEST((part.hold(10 * one_step) && shares.taken() == 9 * one_step));
        BOOST_TEST((part.grow_to(5 * one_step) && shares.taken() == 9 * one_step));
        BOOST_TEST((part.hold(3 * one_step + 1) && shares.taken() == 3 * one_step));
        CallMemory::Part moved{std::move(part)};
        BOOST_TEST(shares.taken() == 3 * one_step);
        moved.clear();
        BOOST_TEST((shares.taken() == 0U && moved.hold(2 * one_step)));
    }
    BOOST_TEST(shares.taken() == 0U);
    std::string text;
    CallMemory::Part part{&memory};
    while (text.size() < 20 * one_step)
        BOOST_REQUIRE(append_to(text, std::string(1000, 'x'), part));
    BOOST_TEST(shares.taken() + one_step >= text.capacity());
    text.clear();
    give_back_room(text, part);
    BOOST_TEST((shares.taken() == 0U && text.capacity() < one_step));
}
BOOST_AUTO_TEST_CASE(a_user_beyond_their_part_loses_that_call_alone) {
    Loop loop;
    MemoryShares shares{loop, 10 * one_step, 6 * one_step};
    OneCall first{loop, shares, user('1')};
    OneCall second{loop, shares, user('1')};
    BOOST_TEST(first.part.hold(5 * one_step));
    BOOST_TEST(!second.part.hold(4 * one_step));
    settle(loop);
    BOOST_TEST((second.memory.is_lost() && second.cancellation.is_cancelled()));
    BOOST_TEST((!first.memory.is_lost() && !first.cancellation.is_cancelled()));
    BOOST_TEST(shares.taken() == 4 * one_step);
}
BOOST_AUTO_TEST_CASE(when_all_is_taken_the_largest_user_loses_and_nobody_else) {
    Loop loop;
    MemoryShares shares{loop, 20 * one_step, 12 * one_step};
    OneCall small{loop, shares, user('1')};
    OneCall large{loop, shares, user('1')};
    OneCall other{loop, shares, user('2')};
    OneCall third{loop, shares, user('3')};
    BOOST_TEST((small.part.hold(4 * one_step) && large.part.hold(8 * one_step)));
    BOOST_TEST((other.part.hold(9 * one_step) && third.part.hold(8 * one_step)));
    settle(loop);
    BOOST_TEST(
        (large.memory.is_lost() && large.cancellation.is_cancelled() && large.writable.is_set()));
    BOOST_TEST((!small.memory.is_lost() && !other.memory.is_lost() && !third.memory.is_lost()));
    // Counted until it is given back, but in nobody's way.
    BOOST_TEST(shares.taken() == (3 + 7 + 8 + 7) * one_step);
    large.part.clear();
    BOOST_TEST(shares.taken() == (3 + 8 + 7) * one_step);
    BOOST_TEST(!large.part.hold(2 * one_step));  // it does not come back
    BOOST_TEST(!other.part.hold(12 * one_step)); // has most, and asks
    BOOST_TEST((other.memory.is_lost() && !third.memory.is_lost()));
    settle(loop);
}
BOOST_AUTO_TEST_CASE(a_body_that_arrives_loses_its_place_first_the_oldest_before_others) {
    Loop loop;
    MemoryShares shares{loop, 20 * one_step, 20 * one_step};
    OneCall largest{loop, shares, user('1')};
    OneCall oldest{loop, shares, user('1')};
    OneCall newer{loop, shares, user('1')};
    OneCall other{loop, shares, user('2')};
    oldest.memory.arrives(true);
    newer.memory.arrives(true);
    BOOST_TEST((largest.part.hold(8 * one_step) && oldest.part.hold(3 * one_step) &&
                newer.part.hold(6 * one_step)));
    BOOST_TEST(other.part.hold(6 * one_step));
    BOOST_TEST((!oldest.memory.is_lost() && !newer.memory.is_lost()));
    BOOST_TEST(other.part.hold(8 * one_step));
    BOOST_TEST((oldest.memory.is_lost() && !newer.memory.is_lost() && !largest.memory.is_lost()));
    newer.memory.arrives(false);
    BOOST_TEST(other.part.hold(11 * one_step));
    BOOST_TEST((!newer.memory.is_lost() && largest.memory.is_lost()));
    settle(loop);
}
BOOST_AUTO_TEST_CASE(a_call_that_is_lost_before_it_has_a_client_is_cancelled_later) {
    Loop loop;
    MemoryShares shares{loop, 0, 0};
    AsyncEvent writable{loop};
    CancellationToken cancellation;
    {
        CallMemory gone{shares, user('1')};
        BOOST_TEST(!CallMemory::Part{&gone}.hold(2 * one_step));
    } // before the loop looks
    CallMemory memory{shares, user('1')};
    BOOST_TEST(!CallMemory::Part{&memory}.hold(2 * one_step));
    settle(loop);
    memory.ends(&cancellation, &writable);
    BOOST_TEST(cancellation.is_cancelled());
}
