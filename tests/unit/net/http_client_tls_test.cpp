// HttpClient and TLS, against Python's ssl with a certificate made for this run.
#include "tests/unit/net/support.hpp"
#include "tests/unit/temporary_folder.hpp"
#include <cstdio>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace usershell::net;
namespace {
/// A program that runs until the end of the scope; its standard output can be read.
class Child : boost::noncopyable {
public:
    explicit Child(std::vector<std::string> words) {
        int ends[2];
        BOOST_REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
        const Descriptor writing{ends[1]};
        output_ = fdopen(ends[0], "r");
        std::vector<char*> argv;
        argv.reserve(words.size() + 1);
        for (auto& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, writing.get(), 1);
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
        const int failed = posix_spawnp(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        BOOST_REQUIRE(failed == 0);
    }
    ~Child() {
        if (pid_ > 0) {
            kill(pid_, SIGKILL);
            waitpid(pid_, nullptr, 0);
        }
        (void)std::fclose(output_);
    }
    /// Without its end; empty when there is none.
    std::string line() {
        char text[512];
        if (!std::fgets(text, sizeof text, output_)) return {};
        return std::string{text}.substr(0, std::string_view{text}.find('\n'));
    }
    int wait() {
        int status = 0;
        waitpid(std::exchange(pid_, -1), &status, 0);
        return status;
    }

private:
    pid_t pid_ = -1;
    std::FILE* output_ = nullptr;
};

struct TlsServer {
    explicit TlsServer(const std::string& subject = "IP:127.0.0.1", const std::string& after = "") {
        Child make{{"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=test",
                    "-addext", "subjectAltName=" + subject, "-keyout", file("key"), "-out",
                    certificate}};
        BOOST_REQUIRE(make.wait() == 0);
        const std::string script = USERSHELL_SOURCE_DIR "/tests/unit/net/tls_server.py";
        process = std::make_unique<Child>(
            std::vector<std::string>{"/usr/bin/python3", script, certificate, file("key"), after});
        authority = "127.0.0.1:" + process->line();
    }
    Client client(const std::string& ca_file) const {
        return Client{EgressPolicy{{authority}}, ca_file};
    }
    std::string url() const { return "https://" + authority + "/"; }
    std::string file(const char* name) const { return folder.path() / name; }
    TemporaryFolder folder;
    std::string certificate = file("certificate");
    std::unique_ptr<Child> process;
    std::string authority;
};
} // namespace
BOOST_AUTO_TEST_SUITE(http_client_tls)
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
                BOOST_TEST(server.process->line() == expected);
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
BOOST_AUTO_TEST_SUITE_END()
