#include "execute/event_frames.hpp"
#include "tests/unit/pipeline/support.hpp"
using namespace usershell::execute;
// A token's frame is put together by hand, as Boost.JSON writes it.
BOOST_AUTO_TEST_CASE(a_token_is_the_same_frame_without_a_document) {
    std::string text = "\u00e4\u20ac\U0001f600";
    for (int c = 0; c < 128; ++c) text += static_cast<char>(c);
    Recorder by_hand;
    Recorder by_document;
    BOOST_TEST(EventFrames{by_hand}.send_text("token", text));
    BOOST_TEST(EventFrames{by_document}.send({{"token", text}}));
    BOOST_TEST(by_hand.sent == by_document.sent);
}

BOOST_AUTO_TEST_CASE(frames_are_lines_of_json_behind_one_head) {
    Recorder caller;
    EventFrames frames{caller};
    BOOST_TEST((!frames.begun() && caller.heads.empty()));
    BOOST_TEST(frames.send({{"token", "a\nb\r\n\"c\" ä"}}));
    BOOST_TEST(frames.send({{"done", true}, {"model", "m"}}));
    BOOST_TEST(frames.begun());
    BOOST_TEST(caller.sent == "data: {\"token\":\"a\\nb\\r\\n\\\"c\\\" ä\"}\n\n"
                              "data: {\"done\":true,\"model\":\"m\"}\n\n");
    BOOST_REQUIRE(caller.heads.size() == 1U);
    BOOST_TEST(caller.heads[0].status == 200);
    BOOST_TEST(only_header(caller.heads[0], "Content-Type") == "text/event-stream; charset=utf-8");
    BOOST_TEST(only_header(caller.heads[0], "Cache-Control") == "no-store");
}

BOOST_AUTO_TEST_CASE(silence_longer_than_the_patience_is_broken_by_a_comment) {
    Recorder caller;
    EventFrames frames{caller, std::chrono::seconds{0}};
    frames.keep_alive();
    BOOST_TEST(frames.begun());
    BOOST_TEST(!frames.has_sent());
    frames.send({{"token", "a"}});
    BOOST_TEST(frames.has_sent());
    frames.keep_alive();
    BOOST_TEST(caller.heads.size() == 1U);
    BOOST_TEST(caller.sent == ": ping\n\ndata: {\"token\":\"a\"}\n\n: ping\n\n");
}

BOOST_AUTO_TEST_CASE(shorter_silence_is_kept) {
    Recorder caller;
    EventFrames frames{caller, std::chrono::hours{1}};
    frames.keep_alive();
    BOOST_TEST(!frames.begun());
    frames.send({{"token", "a"}});
    frames.keep_alive();
    BOOST_TEST(caller.sent == "data: {\"token\":\"a\"}\n\n");
}

BOOST_AUTO_TEST_CASE(a_caller_who_has_gone_is_noticed) {
    Recorder caller{1};
    EventFrames frames{caller};
    BOOST_TEST(frames.send({{"token", "a"}}));
    BOOST_TEST(!frames.send({{"token", "b"}}));
    BOOST_TEST(!frames.send({{"token", "c"}}));
    BOOST_TEST(frames.begun());
}
