// No copy of a key or a password stays behind once its request has been served: this process's own
// memory is searched for one.
#include "app/dispatch.hpp"
#include "base/ascii.hpp"
#include "crypto/token.hpp"
#include "tests/unit/app/support.hpp"
#include "tests/unit/unless_thread_sanitized.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

using namespace usershell;
using namespace usershell::app;
using namespace usershell::test;

namespace {

const std::string visitor_key(crypto::antiforgery_key_size, 'v');

/// A secret that is masked in memory, so that any plain bytes of it are a copy.
class HiddenSecret {
public:
    HiddenSecret() : masked_{crypto::base64url(crypto::random_bytes(45))} {
        for (char& c : masked_) c = static_cast<char>(c ^ mask);
    }

    std::size_t size() const { return masked_.size(); }
    char at(std::size_t i) const { return static_cast<char>(masked_[i] ^ mask); }

    /// True when `bytes` contains the end of the secret. Its beginning does not count: an
    /// allocator writes over that of what is freed.
    bool stands_in(std::string_view bytes) const {
        const std::string_view end = std::string_view{masked_}.substr(masked_.size() - 16);
        return std::search(bytes.begin(), bytes.end(), end.begin(), end.end(),
                           [](char byte, char masked) { return (byte ^ mask) == masked; }) !=
               bytes.end();
    }

private:
    static constexpr char mask = 0x15;
    std::string masked_;
};

/// Searches this process's writable memory for the secret. Returns the mapping's line of
/// /proc/self/maps; empty when not found. The mapping that `stack` points into is left out.
std::string place_in_memory(const HiddenSecret& secret, const void* stack = nullptr) {
    std::ifstream maps{"/proc/self/maps"};
    const int memory = ::open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    BOOST_REQUIRE(memory >= 0);
    std::string found;
    std::vector<char> piece(1U << 20U);
    for (std::string line; std::getline(maps, line);) {
        std::size_t from = 0;
        std::size_t to = 0;
        char dash = 0;
        std::istringstream{line} >> std::hex >> from >> dash >> to;
        const auto on_stack = reinterpret_cast<std::size_t>(stack);
        if (line.find(" rw") == std::string::npos || to - from > (1UL << 30U) ||
            (from <= on_stack && on_stack < to))
            continue;
        while (from < to) {
            const ssize_t got = ::pread(memory, piece.data(), std::min(piece.size(), to - from),
                                        static_cast<off_t>(from));
            if (got <= 0) break;
            if (secret.stands_in({piece.data(), static_cast<std::size_t>(got)})) found = line;
            from += static_cast<std::size_t>(got);
        }
    }
    ::close(memory);
    return found;
}

/// Uses a secret as handlers do: never as a std::string.
web::Response use(RequestContext& context) {
    const crypto::Secret key{context.json.text_view("apiKey").value_or("")};
    const crypto::Secret password = context.form_secret("password");
    const std::string_view given = key.empty() ? password.reveal() : key.reveal();
    return web::Response::json(std::to_string(given.size()) +
                               crypto::base64url(crypto::token_hash("x", given)));
}

web::Response refuse(RequestContext& context) {
    use(context);
    throw invalid("apiKey", "Not this one.");
}

Routes table() {
    using enum web::Method;
    return {{post, "/json", Access::open, Body::json, use},
            {post, "/form", Access::open, Body::form, use},
            {post, "/multipart", Access::open, Body::multipart, use},
            {post, "/refused", Access::open, Body::json, refuse}};
}

struct Sent {
    std::string path;
    std::string type;
    std::string before; ///< the secret
    std::string after;
    std::string escape{}; ///< before each third character's hexadecimal digits; empty: as it is
};

/// The request, with no copy of the secret but in its body.
web::Request request_of(const Sent& sent, const HiddenSecret& secret) {
    web::Request made =
        request(web::Method::post, sent.path,
                {{"content-type", sent.type},
                 {"requestverificationtoken", crypto::issue_antiforgery(visitor_key)}});
    made.body.append(sent.before);
    for (std::size_t i = 0; i < secret.size(); ++i) {
        const char c = secret.at(i);
        if (sent.escape.empty() || i % 3 != 0)
            made.body.push_back(c);
        else
            made.body.append(sent.escape + hex({&c, 1}));
    }
    made.body.append(sent.after);
    made.body_size = made.body.size();
    return made;
}

} // namespace

BOOST_AUTO_TEST_SUITE(
    secrets, *unless_thread_sanitized("their heap lies in mappings too large to be searched"))

BOOST_AUTO_TEST_CASE(a_copy_that_is_left_is_found) {
    const HiddenSecret secret;
    BOOST_TEST(place_in_memory(secret) == "");
    {
        std::string copy;
        for (std::size_t i = 0; i < secret.size(); ++i) copy += secret.at(i);
    }
    BOOST_TEST(place_in_memory(secret) != "");
}

BOOST_AUTO_TEST_CASE(nothing_is_left_of_a_request) {
    const std::string part = "--b\r\nContent-Disposition: form-data; name=";
    const Sent rows[] = {
        {"/json", "application/json", R"({"a":[1],"apiKey":")", R"("})"},
        {"/json", "application/json", R"({"apiKey":")", R"("})", "\\u00"},
        {"/refused", "application/json", R"({"apiKey":")", R"("})"},
        {"/json", "application/json", R"({"apiKey":")", R"(","apiKey":""})"},
        {"/json", "application/json", R"({"apiKey":")", "\\"},
        {"/form", "application/x-www-form-urlencoded", "email=a&password=", "&b=%20"},
        {"/form", "application/x-www-form-urlencoded", "password=", "", "%"},
        {"/form", "application/x-www-form-urlencoded", "password=", "%zz"},
        {"/multipart", "multipart/form-data; boundary=b", part + "\"password\"\r\n\r\n",
         "\r\n--b--\r\n"},
        {"/multipart", "multipart/form-data; boundary=b", part + "\"f\"; filename=\"x\"\r\n\r\n",
         "\r\n--b--\r\n"},
    };
    store::Database store{no_store, 1};
    RequestMeter meter{"", patterns_of(table())};
    const Dispatch dispatch{store,
                            Guard{Pool::manage, "https://shell.example",
                                  [](const web::Request&) { return visitor_key; }},
                            table(), nullptr, meter};
    for (const Sent& sent : rows) {
        const CapturedLog log;
        const HiddenSecret secret;
        int status = 0;
        const void* stack = nullptr; // what calls leave there, the next ones write over
        std::thread{[&] {
            const int here = 0;
            stack = &here;
            status = dispatch.serve(request_of(sent, secret)).status;
        }}.join();
        BOOST_TEST((status == 200 || status == 400), sent.path << " " << status);
        BOOST_TEST(place_in_memory(secret, stack) == "", sent.path << " " << sent.before);
        BOOST_TEST(!secret.stands_in(log.text()));
    }
}

BOOST_AUTO_TEST_SUITE_END()
