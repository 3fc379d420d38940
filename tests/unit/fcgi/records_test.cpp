#include "fcgi/records.hpp"
#include "tests/unit/fcgi/fastcgi_client.hpp"
using namespace usershell::fcgi;
namespace {
constexpr RecordLimits limits{
    .max_params = 1000, .max_body = 100, .timeout = std::chrono::seconds{20}};
struct Ends {
    Descriptor sender;
    Descriptor receiver;
};
Ends sent(const std::string& bytes) {
    std::array<int, 2> ends{};
    BOOST_REQUIRE_EQUAL(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    BOOST_REQUIRE_EQUAL(::send(ends[0], bytes.data(), bytes.size(), 0),
                        static_cast<ssize_t>(bytes.size()));
    return {Descriptor{ends[0]}, Descriptor{ends[1]}};
}
/// The result of read_request() for these bytes and the end of the connection.
std::string outcome(const std::string& bytes) {
    Ends ends = sent(bytes);
    ends.sender.reset();
    try {
        return read_request(ends.receiver.get(), limits) ? "read" : "nothing";
    } catch (const BadRecords& bad) {
        return bad.what();
    }
}
void all_are(const std::string& expected, const std::vector<std::string>& sent) {
    for (const auto& bytes : sent) BOOST_TEST(outcome(bytes) == expected);
}

BOOST_AUTO_TEST_CASE(a_request_comes_through_whole) {
    const std::string params = name_value("A", "1") + name_value("LONG", std::string(200, 'v')) +
                               name_value("A=", "=") + name_value("EMPTY", "");
    const Ends ends = sent(begin_record(258) + record(FCGI_PARAMS, 258, params.substr(0, 7), 3) +
                           record(FCGI_PARAMS, 258, params.substr(7), 255) +
                           record(FCGI_PARAMS, 258, {}) + record(FCGI_STDIN, 258, "ab") +
                           record(FCGI_STDIN, 258, "c", 1) + record(FCGI_STDIN, 258, {}, 7));
    const auto request = read_request(ends.receiver.get(), limits);
    BOOST_REQUIRE(request.has_value());
    BOOST_TEST(request->id == 258);
    std::string seen;
    for (const auto& [name, value] : request->params)
        seen.append(name).append(": ").append(value).append("; ");
    BOOST_TEST(seen == "A: 1; LONG: " + std::string(200, 'v') + "; A=: =; EMPTY: ; ");
    BOOST_TEST((request->body == "abc"));
    BOOST_TEST(request->body_size == 3U);
}

BOOST_AUTO_TEST_CASE(bytes_may_come_one_by_one) {
    // Of packets, each recv(2) gets one.
    std::array<int, 2> ends{};
    BOOST_REQUIRE_EQUAL(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()), 0);
    const Descriptor sender{ends[0]};
    const Descriptor receiver{ends[1]};
    for (const char byte : request_records(name_value("A", "1"), "body"))
        BOOST_REQUIRE_EQUAL(::send(sender.get(), &byte, 1, MSG_DONTWAIT), 1);
    const auto request = read_request(receiver.get(), limits);
    BOOST_REQUIRE(request.has_value());
    BOOST_TEST(request->params.at(0).value == "1");
    BOOST_TEST((request->body == "body"));
}

BOOST_AUTO_TEST_CASE(a_body_over_the_limit_is_counted_and_not_kept) {
    for (const std::size_t size : {100U, 101U, 70000U}) {
        const Ends ends = sent(request_records(name_value("A", "1"), std::string(size, 'x')));
        const auto request = read_request(ends.receiver.get(), limits);
        BOOST_REQUIRE(request.has_value());
        BOOST_TEST(request->body.size() == (size <= 100 ? size : 0U));
        BOOST_TEST(request->body_size == size);
    }
}

BOOST_AUTO_TEST_CASE(only_a_web_servers_records_pass) {
    const std::string begin = begin_record();
    const std::string no_params = record(FCGI_PARAMS, 1, {});
    const std::string no_body = record(FCGI_STDIN, 1, {});
    // libfcgi would overrun its buffer with the answer to this.
    std::string greedy_query;
    for (int i = 0; i < 5; ++i) greedy_query += name_value("FCGI_MPXS_CONNS", "");
    const std::string values = record(FCGI_GET_VALUES, 0, greedy_query);
    const std::string received = begin + no_params;
    all_are("read", {received + no_body, received + no_body + "more"});
    all_are("nothing", {""});
    all_are("unknown FastCGI version",
            {"GET / HTTP/1.1\r\n\r\n", "\2" + begin.substr(1), std::string(100'000, '\0')});
    all_are("no proper FCGI_BEGIN_REQUEST",
            {no_params, begin_record(0), record(FCGI_BEGIN_REQUEST, 1, "short"), values});
    all_are("a role other than responder", {begin_record(1, 2)});
    all_are("a record out of place", {begin + begin, begin + begin_record(2), begin + no_body,
                                      begin + record(FCGI_PARAMS, 2, {}), begin + values,
                                      received + record(FCGI_ABORT_REQUEST, 1, {}),
                                      received + values, received + record(99, 0, {})});
    all_are("the request ends early", {"\1", received, received + record(FCGI_STDIN, 1, "x")});
}

BOOST_AUTO_TEST_CASE(parameters_have_sound_lengths) {
    const auto params_are = [](const std::string& expected, const std::vector<std::string>& all) {
        for (const auto& params : all) BOOST_TEST(outcome(request_records(params)) == expected);
    };
    params_are("read", {name_value("A", ""), name_value("A", std::string(994, 'x'))});
    params_are("the parameters are too large", {name_value("A", std::string(997, 'x'))});
    params_are("a parameter is cut short", {"\1", "\1\1A", "\x80\0\0"s, std::string(8, '\xff')});
    params_are("a parameter without a name", {"\0\1A"s});
    params_are("a parameter with a NUL", {name_value("x\0y"s, "A"), name_value("A", "x\0y"s)});
}

BOOST_AUTO_TEST_CASE(a_peer_that_takes_too_long_is_given_up) {
    const RecordLimits hasty{
        .max_params = 1000, .max_body = 100, .timeout = std::chrono::milliseconds{20}};
    const auto late = [](const BadRecords& bad) {
        return bad.what() == std::string{"the request did not arrive in time"};
    };
    const std::string beginning = begin_record() + record(FCGI_PARAMS, 1, {});
    for (const std::string& bytes : {std::string{}, beginning}) { // and then silence
        const Ends ends = sent(bytes);
        BOOST_CHECK_EXCEPTION(read_request(ends.receiver.get(), hasty), BadRecords, late);
    }
    Ends ends = sent(beginning);
    const std::jthread flood{[sender = ends.sender.get()] {
        const std::string body = record(FCGI_STDIN, 1, std::string(1000, 'x'));
        while (::send(sender, body.data(), body.size(), MSG_NOSIGNAL) > 0) {
        }
    }};
    BOOST_CHECK_EXCEPTION(read_request(ends.receiver.get(), hasty), BadRecords, late);
    ends.receiver.reset(); // ends the flood
}
} // namespace
