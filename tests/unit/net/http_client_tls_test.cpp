// HttpClient and TLS, against OpenSSL's own test server with a certificate made for this run.
#include "net/http_client.hpp"
#include "tests/unit/net/scripted_server.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace usershell;
using namespace usershell::net;
using namespace usershell::test;
using namespace std::chrono_literals;

namespace {

/// A program that runs until the end of the scope; its standard output can be read.
class Child {
public:
    explicit Child(std::vector<std::string> words) {
        int ends[2];
        BOOST_REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
        const Descriptor writing{ends[1]};
        output_ = fdopen(ends[0], "r");
        std::vector<char*> argv;
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
        std::fclose(output_);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    std::string line() {
        char text[512];
        return std::fgets(text, sizeof text, output_) ? text : "";
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

class Folder {
public:
    Folder() {
        std::string name =
            (std::filesystem::temp_directory_path() / "usershell-tls-XXXXXX").string();
        BOOST_REQUIRE(mkdtemp(name.data()));
        path_ = name;
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string file(const std::string& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

struct TlsServer {
    TlsServer(const Folder& folder, const std::string& name, const std::string& subject_name,
              const std::string& version = "-tls1_2")
        : certificate{folder.file(name + ".crt")} {
        const std::string key = folder.file(name + ".key");
        Child make{{"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=test",
                    "-addext", "subjectAltName=" + subject_name, "-keyout", key, "-out",
                    certificate}};
        BOOST_REQUIRE(make.wait() == 0);
        serve = std::make_unique<Child>(
            std::vector<std::string>{"openssl", "s_server", "-accept", "127.0.0.1:0", "-www",
                                     version, "-cert", certificate, "-key", key});
        for (std::string line = serve->line(); !line.empty(); line = serve->line())
            if (line.starts_with("ACCEPT ")) {
                authority = line.substr(7, line.find_last_not_of("\r\n") - 6);
                break;
            }
        BOOST_REQUIRE(authority.starts_with("127.0.0.1:"));
    }
    std::string certificate;
    std::unique_ptr<Child> serve;
    std::string authority;
};

HttpResult call(const TlsServer& server, const std::string& ca_file) {
    HttpClient client{EgressPolicy{{server.authority}}, ca_file};
    const HttpControl control{
        .limits = {.connect = 1h, .first_byte = 1h, .silence = 1h, .total = 1h}};
    return client.perform({.method = "GET",
                           .url = "https://" + server.authority + "/",
                           .headers = {},
                           .key = {},
                           .body = {}},
                          control);
}

} // namespace

BOOST_AUTO_TEST_SUITE(http_client_tls)

BOOST_AUTO_TEST_CASE(a_certificate_must_be_trusted_and_name_the_host) {
    const Folder folder;
    const TlsServer server{folder, "good", "IP:127.0.0.1"};
    BOOST_TEST((call(server, {}).failure == HttpFailure::bad_certificate));
    const auto trusted = call(server, server.certificate);
    BOOST_TEST((trusted.failure == HttpFailure::none), trusted.detail);
    BOOST_TEST(trusted.head.status == 200);

    const TlsServer other{folder, "other", "DNS:example.org"};
    BOOST_TEST((call(other, other.certificate).failure == HttpFailure::bad_certificate));
    BOOST_TEST((call(server, folder.file("missing.crt")).failure == HttpFailure::bad_certificate));
}

BOOST_AUTO_TEST_CASE(a_trusted_connection_is_not_lent_to_a_client_that_trusts_less) {
    const Folder folder;
    const TlsServer server{folder, "good", "IP:127.0.0.1"};
    BOOST_TEST((call(server, server.certificate).failure == HttpFailure::none));
    BOOST_TEST((call(server, {}).failure == HttpFailure::bad_certificate));
}

BOOST_AUTO_TEST_CASE(plain_http_behind_https_is_unreachable) {
    ScriptedServer server{[](Connection& peer) {
        peer.line();
        peer.send("HTTP/1.1 400 Bad Request\r\n\r\n");
    }};
    HttpClient client{EgressPolicy{{server.authority()}}, {}};
    const auto result =
        client.perform({.method = "GET",
                        .url = "https://" + server.authority() + "/",
                        .headers = {},
                        .key = {},
                        .body = {}},
                       {.limits = {.connect = 1h, .first_byte = 1h, .silence = 1h, .total = 1h}});
    BOOST_TEST((result.failure == HttpFailure::unreachable));
}

BOOST_AUTO_TEST_SUITE_END()
