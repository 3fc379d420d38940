// HttpClient and TLS, against Python's ssl with a certificate made for this run.
#include "tests/unit/net/support.hpp"
#include "tests/unit/temporary_folder.hpp"
#include <cstdio>
using namespace usershell::net;
namespace {
struct TlsServer : boost::noncopyable {
    explicit TlsServer(const std::string& subject = "IP:127.0.0.1", const std::string& after = "") {
        const std::string key = file("key"), files = certificate + " " + key;
        const std::string make =
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 "
            "-nodes -days 2 -subj /CN=test -addext subjectAltName=" +
            subject + " -keyout " + key + " -out " + certificate;
        const std::string serve = "exec /usr/bin/python3 " USERSHELL_SOURCE_DIR
                                  "/tests/unit/net/tls_server.py " +
                                  files + " " + after;
        const auto command = make + " 2>/dev/null && " + serve + " 2>/dev/null";
        output = ::popen(command.c_str(), "re"); // NOLINT(cert-env33-c): words of our own
        BOOST_REQUIRE(output != nullptr);
        pid = std::stoi(line());
        authority = "127.0.0.1:" + line();
    }
    ~TlsServer() {
        ::kill(pid, SIGKILL);
        ::pclose(output);
    }
    /// Its output without the end; empty when there is none.
    std::string line() const {
        char text[512];
        if (!std::fgets(text, sizeof text, output)) return {};
        return std::string{text}.substr(0, std::string_view{text}.find('\n'));
    }
    Client client(const std::string& ca_file) const {
        return Client{EgressPolicy{{authority}}, ca_file};
    }
    std::string url() const { return "https://" + authority + "/"; }
    std::string file(const char* name) const { return folder.path() / name; }
    TemporaryFolder folder;
    std::string certificate = file("certificate"), authority;
    std::FILE* output = nullptr;
    pid_t pid = -1;
};

BOOST_AUTO_TEST_CASE(a_certificate_must_be_trusted_and_name_the_host) {
    const TlsServer good;
    const TlsServer other{"DNS:example.org"};
    const std::tuple<const TlsServer&, std::string, HttpFailure> rows[] = {
        {good, good.certificate, HttpFailure::none},
        {good, "", HttpFailure::bad_certificate},
        {good, good.file("missing"), HttpFailure::bad_certificate},
        {other, other.certificate, HttpFailure::bad_certificate},
    };
    for (const auto& [server, ca_file, failure] : rows) BOOST_TEST_CONTEXT(ca_file) {
            auto client = server.client(ca_file);
            BOOST_TEST((perform(client, get(server.url())).failure() == failure));
        }
}

// libcurl 7.88 takes a TLS connection with unread bytes for a live one: it would read the extra
// answer as that of the next request, and would write a request to a server that has said goodbye.
BOOST_AUTO_TEST_CASE(a_connection_is_used_again_only_while_nothing_has_come_over_it) {
    const std::pair<const char*, const char*> rows[] = {
        {"", "1 False"}, {"goodbye", "2 False"}, {"extra", "2 False"}};
    for (const auto& [after, second] : rows) BOOST_TEST_CONTEXT(after) {
            const TlsServer server{"IP:127.0.0.1", after};
            auto client = server.client(server.certificate);
            const HttpControl control{.limits = no_hurry, .pool = "ada"};
            for (const std::string expected : {"1 False", second}) {
                const auto answer = perform(client, post(server.url(), "x"), control);
                BOOST_TEST((answer.failure() == HttpFailure::none));
                BOOST_TEST(answer.body == "ok");
                BOOST_TEST(server.line() == expected);
            }
        }
}

BOOST_AUTO_TEST_CASE(plain_http_behind_https_is_unreachable) {
    ScriptedServer server{[](Connection& peer) {
        peer.line();
        peer.send("HTTP/1.1 400 Bad Request\r\n\r\n");
    }};
    auto client = client_of(server);
    const auto answer = perform(client, get("https://" + server.authority() + "/"));
    BOOST_TEST((answer.failure() == HttpFailure::unreachable));
}
} // namespace
