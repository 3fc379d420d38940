#include "fastcgi_client.hpp"
#include "fcgi/records.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <string>
#include <vector>

#include <sys/socket.h>

using namespace usershell;
using namespace usershell::fcgi;

namespace {

struct Ends {
    Descriptor sender;
    Descriptor receiver;
};

Ends connected() {
    std::array<int, 2> ends{};
    BOOST_REQUIRE_EQUAL(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    return {Descriptor{ends[0]}, Descriptor{ends[1]}};
}

constexpr RecordLimits limits{.params = 1000, .body = 100, .time = std::chrono::seconds{20}};

/// What read_request makes of these bytes and the end of the connection; `late` keeps it open
/// instead.
std::string outcome(const std::string& bytes, RecordLimits allowed = limits, bool late = false) {
    Ends ends = connected();
    BOOST_REQUIRE_EQUAL(::send(ends.sender.get(), bytes.data(), bytes.size(), 0),
                        static_cast<ssize_t>(bytes.size()));
    if (!late) ends.sender.reset();
    try {
        const auto request = read_request(ends.receiver.get(), allowed);
        return request ? "read" : "silent";
    } catch (const BadRecords& bad) {
        return bad.what();
    }
}

const std::string no_params = record(fastcgi::params, 1, {});
const std::string no_body = record(fastcgi::standard_input, 1, {});

std::string with_params(const std::string& content) {
    return begin_record() + record(fastcgi::params, 1, content) + no_params + no_body;
}

} // namespace

BOOST_AUTO_TEST_SUITE(records)

BOOST_AUTO_TEST_CASE(a_request_comes_through_whole) {
    const std::string params = name_value("A", "1") + name_value("LONG", std::string(200, 'v'));
    const std::string bytes =
        begin_record(258) + record(fastcgi::params, 258, params.substr(0, 7), 3) +
        record(fastcgi::params, 258, params.substr(7), 255) + record(fastcgi::params, 258, {}) +
        record(fastcgi::standard_input, 258, "ab") + record(fastcgi::standard_input, 258, "c", 1) +
        record(fastcgi::standard_input, 258, {}, 7);
    Ends ends = connected();
    ::send(ends.sender.get(), bytes.data(), bytes.size(), 0);
    const auto request = read_request(ends.receiver.get(), limits);
    BOOST_REQUIRE(request.has_value());
    BOOST_TEST(request->id == 258);
    BOOST_TEST(request->params == params);
    BOOST_TEST(request->body == "abc");
    BOOST_TEST(request->body_size == 3U);
}

BOOST_AUTO_TEST_CASE(what_is_composed_reads_the_same) {
    RequestRecords request;
    request.id = 7;
    for (int i = 0; i < 3000; ++i)
        request.params += name_value("NAME" + std::to_string(i), "value of some length");
    request.body = std::string(70000, 'b');
    const std::string bytes = compose(request);
    Ends ends = connected();
    ::send(ends.sender.get(), bytes.data(), bytes.size(), 0);
    const auto again =
        read_request(ends.receiver.get(), {.params = 200'000, .body = 70000, .time = limits.time});
    BOOST_REQUIRE(again.has_value());
    BOOST_TEST(again->id == 7);
    BOOST_TEST((again->params == request.params));
    BOOST_TEST((again->body == request.body));
}

BOOST_AUTO_TEST_CASE(a_body_over_the_limit_is_counted_and_not_kept) {
    Ends ends = connected();
    const std::string bytes = begin_record() + no_params +
                              record(fastcgi::standard_input, 1, std::string(100, 'x')) +
                              record(fastcgi::standard_input, 1, "y") + no_body;
    ::send(ends.sender.get(), bytes.data(), bytes.size(), 0);
    const auto request = read_request(ends.receiver.get(), limits);
    BOOST_REQUIRE(request.has_value());
    BOOST_TEST(request->body.empty());
    BOOST_TEST(request->body_size == 101U);
}

BOOST_AUTO_TEST_CASE(only_a_web_servers_records_pass) {
    struct Row {
        std::string bytes;
        std::string expected;
    };
    const std::string begin = begin_record();
    const std::string wrong_version = "\2" + begin.substr(1);
    const std::vector<Row> rows = {
        {begin + no_params + no_body, "read"},
        {begin + no_params + no_body + "more", "read"},
        {with_params(name_value("A", "")), "read"},
        {"", "silent"},
        {"\1", "the request ends early"},
        {"GET / HTTP/1.1\r\n\r\n", "unknown FastCGI version"},
        {wrong_version, "unknown FastCGI version"},
        {no_params, "no proper FCGI_BEGIN_REQUEST"},
        {begin_record(0), "no proper FCGI_BEGIN_REQUEST"},
        {record(fastcgi::begin_request, 1, "short"), "no proper FCGI_BEGIN_REQUEST"},
        {record(fastcgi::begin_request, 1, {}), "no proper FCGI_BEGIN_REQUEST"},
        {record(fastcgi::get_values, 0, name_value("FCGI_MPXS_CONNS", "")),
         "no proper FCGI_BEGIN_REQUEST"},
        {begin_record(1, 2), "a role other than responder"},
        {begin + begin, "a record out of place"},
        {begin + no_body, "a record out of place"},
        {begin + record(fastcgi::params, 2, {}), "a record out of place"},
        {begin + record(fastcgi::get_values, 0, {}), "a record out of place"},
        {begin + no_params + record(fastcgi::abort_request, 1, {}), "a record out of place"},
        {begin + no_params + record(fastcgi::get_values, 0, {}), "a record out of place"},
        {begin + no_params + record(99, 0, {}), "a record out of place"},
        {begin + no_params, "the request ends early"},
        {begin + no_params + record(fastcgi::standard_input, 1, "x"), "the request ends early"},
        {with_params("\1"), "a parameter is cut short"},
        {with_params("\1\1"), "a parameter is cut short"},
        {with_params("\1\1A"), "a parameter is cut short"},
        {with_params("\x80"), "a parameter is cut short"},
        {with_params("\xff\xff\xff\xff\xff\xff\xff\xff"), "a parameter is cut short"},
        {with_params("\x7f\xff\xff\xff\xff"), "a parameter is cut short"},
        {with_params(std::string{"\x80\0\0", 3}), "a parameter is cut short"},
        {with_params(std::string{"\0\1A", 3}), "a parameter without a name or with a NUL"},
        {with_params(name_value("A", std::string{"x\0y", 3})),
         "a parameter without a name or with a NUL"},
        {with_params(name_value("A", std::string(1000, 'x'))), "the parameters are too large"},
    };
    for (const Row& row : rows) BOOST_TEST(outcome(row.bytes) == row.expected);
}

BOOST_AUTO_TEST_CASE(a_peer_that_goes_silent_is_given_up) {
    const RecordLimits hasty{.params = 1000, .body = 100, .time = std::chrono::milliseconds{20}};
    BOOST_TEST(outcome("", hasty, true) == "the request did not arrive in time");
    BOOST_TEST(outcome(begin_record() + no_params, hasty, true) ==
               "the request did not arrive in time");
}

BOOST_AUTO_TEST_SUITE_END()
