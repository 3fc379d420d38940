#include "base/settings/config.hpp"

#include "base/settings/setting_table.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <sstream>

#include <boost/test/unit_test.hpp>

using namespace usershell;
using namespace std::chrono_literals;
using test::TemporaryFolder;

namespace {

CommandLine read(const std::vector<std::string>& words, bool collect = false) {
    std::vector<const char*> argv{"program"};
    for (const auto& word : words) argv.push_back(word.c_str());
    return read_settings(static_cast<int>(argv.size()), argv.data(), collect);
}

Settings read_file(const std::string& content, std::vector<std::string> words = {}) {
    const TemporaryFolder folder;
    words.insert(words.begin(), {"--config", folder.write("usershell.conf", content)});
    return read(words).settings;
}

std::string provider_error(const std::vector<std::string>& words) {
    try {
        read(words);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "no complaint";
}

/// The message without the folder of the file.
std::string complaint_of_file(const std::string& content) {
    const TemporaryFolder folder;
    std::string message = provider_error({"--config", folder.write("usershell.conf", content)});
    const std::string prefix = folder.path().string() + "/";
    if (message.starts_with(prefix)) message.erase(0, prefix.size());
    return message;
}

std::string dump(const Settings& settings) {
    std::ostringstream out;
    dump_settings(out, settings);
    return out.str();
}

} // namespace

BOOST_AUTO_TEST_SUITE(config)

BOOST_AUTO_TEST_CASE(defaults_are_those_of_the_contract) {
    const Settings settings = read({}).settings;
    BOOST_TEST(settings.socket == "");
    BOOST_TEST(settings.base_url == "");
    BOOST_TEST(settings.templates == "/usr/share/usershell/templates");
    BOOST_TEST(settings.database == "dbname=usershell");
    BOOST_TEST(settings.threads == 0U);
    BOOST_TEST(settings.database_connections == 0U);
    BOOST_TEST(settings.egress_allow.empty());
    BOOST_TEST(settings.catalogue_base_url.empty());
    BOOST_TEST(!settings.require_https);
    BOOST_TEST(settings.hold_keys_on_change);
    BOOST_TEST((settings.session_idle == 24h));
    BOOST_TEST((settings.session_absolute == 14 * 24h));
    BOOST_TEST((settings.recent_sign_in == 30min));
    BOOST_TEST(settings.password_opslimit == 2U);
    BOOST_TEST(settings.password_memlimit == 64U * 1024 * 1024);
    BOOST_TEST((settings.upstream_connect_timeout == 10s));
    BOOST_TEST((settings.upstream_first_byte_timeout == 60s));
    BOOST_TEST((settings.upstream_silence_timeout == 60s));
    BOOST_TEST((settings.upstream_total_timeout == 600s));
    BOOST_TEST((settings.upstream_test_timeout == 30s));
    BOOST_TEST(!settings.mail_configured());
    BOOST_TEST(settings.forgot_password);
    BOOST_TEST(settings.notify_old_address);
}

BOOST_AUTO_TEST_CASE(a_file_is_read_line_by_line) {
    const Settings settings = read_file("# a comment\n"
                                        "\n"
                                        "   threads=16\n"
                                        "\tbase-url = HTTPS://Example.org:443  \r\n"
                                        "database = host=/run/pg dbname=x # not a comment\n"
                                        "egress-allow = 127.0.0.1:11434\n"
                                        "egress-allow = 10.0.0.0/8:8080\n"
                                        "catalogue-base-url = openai=HTTPS://Gateway.example/v1/\n"
                                        "require-https = yes\n"
                                        "hold-keys-on-change = off\n"
                                        "session-idle = 60\n"
                                        "smtp-url = smtp://Mail.example.org:587\n"
                                        "mail-public = /etc/usershell/mail.public\n"
                                        "smtp-password = p#a = s\"s \n"
                                        "smtp-from = Post@Example.org");
    BOOST_TEST(settings.threads == 16U);
    BOOST_TEST(settings.base_url == "https://example.org");
    BOOST_TEST(settings.database == "host=/run/pg dbname=x # not a comment");
    BOOST_TEST(
        (settings.egress_allow == std::vector<std::string>{"127.0.0.1:11434", "10.0.0.0/8:8080"}));
    BOOST_TEST((settings.catalogue_base_url ==
                std::vector<std::string>{"openai=https://gateway.example/v1"}));
    BOOST_TEST(settings.require_https);
    BOOST_TEST(!settings.hold_keys_on_change);
    BOOST_TEST((settings.session_idle == 60s));
    BOOST_TEST(settings.smtp_url == "smtp://mail.example.org:587");
    BOOST_TEST(settings.smtp_password == "p#a = s\"s");
    BOOST_TEST(settings.smtp_from == "Post@Example.org");
    BOOST_TEST(settings.mail_configured());
}

BOOST_AUTO_TEST_CASE(the_command_line_wins) {
    const Settings settings = read_file(
        "threads = 16\nsocket = /run/a\negress-allow = 127.0.0.1:1\negress-allow = 127.0.0.1:2\n"
        "mail-public = /etc/mail.public\n",
        {"--threads", "4", "--egress-allow=127.0.0.1:3", "--egress-allow", "127.0.0.1:4",
         "--mail-public", ""});
    BOOST_TEST(settings.threads == 4U);
    BOOST_TEST(settings.socket == "/run/a");
    BOOST_TEST((settings.egress_allow == std::vector<std::string>{"127.0.0.1:3", "127.0.0.1:4"}));
    BOOST_TEST(!settings.mail_configured());
}

BOOST_AUTO_TEST_CASE(a_file_complaint_names_file_line_and_setting) {
    const struct {
        std::string content;
        std::string says;
    } table[] = {
        {"threads = 8\n\nsokcet = /run/x\n", "usershell.conf, line 3: unknown setting 'sokcet'."},
        {"threads\n", "usershell.conf, line 1: a line must read 'name = value'."},
        {"hunter2\n", "usershell.conf, line 1: a line must read 'name = value'."},
        {"= x\n", "usershell.conf, line 1: unknown setting ''."},
        {"[section]\n", "usershell.conf, line 1: a line must read 'name = value'."},
        {"Threads = 8\n", "usershell.conf, line 1: unknown setting 'Threads'."},
        {"thread = 8\n", "usershell.conf, line 1: unknown setting 'thread'."},
        {"config = /etc/x\n", "usershell.conf, line 1: unknown setting 'config'."},
        {"help = 1\n", "usershell.conf, line 1: unknown setting 'help'."},
        {"threads = 8\n#\nthreads = 9\n",
         "usershell.conf, line 3: threads is set a second time, after line 1."},
        {"threads =\n", "usershell.conf, line 1: threads must be a whole number from 1 to 4096."},
        {"threads = 0\n", "usershell.conf, line 1: threads must be a whole number from 1 to 4096."},
        {"threads = 4097\n",
         "usershell.conf, line 1: threads must be a whole number from 1 to 4096."},
        {"threads = -1\n",
         "usershell.conf, line 1: threads must be a whole number from 1 to 4096."},
        {"threads = 8 \n\nsession-idle = 1h\n",
         "usershell.conf, line 3: session-idle must be a whole number from 1 to 31536000."},
        {"session-idle = 0\n",
         "usershell.conf, line 1: session-idle must be a whole number from 1 to 31536000."},
        {"password-memlimit = 99999999999999999999\n",
         "usershell.conf, line 1: password-memlimit must be a whole number from 8192 to "
         "4294967296."},
        {"require-https = maybe\n", "usershell.conf, line 1: require-https must be true or false."},
        {"require-https =\n", "usershell.conf, line 1: require-https must be true or false."},
        {"base-url = https://example.org/app\n", "usershell.conf, line 1: base-url must be an "
                                                 "origin such as https://example.org:8443: http or "
                                                 "https, host and port, nothing after them."},
        {"egress-allow = localhost\n", "usershell.conf, line 1: egress-allow must be host:port, "
                                       "[IPv6]:port or network/bits:port, with "
                                       "no bits set beyond the prefix."},
        {"egress-allow =\n", "usershell.conf, line 1: egress-allow must be given a value."},
        {"catalogue-base-url = nobody=https://x.example\n",
         "usershell.conf, line 1: catalogue-base-url must be type=URL with a type of the "
         "catalogue."},
        {"catalogue-base-url = openai\n", "usershell.conf, line 1: catalogue-base-url must be "
                                          "type=URL with a type of the catalogue."},
        {"catalogue-base-url = openai=https://u:hunter2@x.example\n",
         "usershell.conf, line 1: catalogue-base-url must be type=URL with a valid base URL."},
        {"smtp-url = smtp://mail.example.org\n",
         "usershell.conf, line 1: smtp-url must be smtp://host:port or smtps://host:port."},
        {"smtp-from = nobody\n", "usershell.conf, line 1: smtp-from must be a mail address."},
        {"smtp-password = hunter2\x01\n",
         "usershell.conf, line 1: smtp-password must be text without control characters."},
        {"smtp-user = \xff\n",
         "usershell.conf, line 1: smtp-user must be text without control characters."},
        {"socket = " + std::string(108, 'x') + "\n",
         "usershell.conf, line 1: socket must be a path of at most 107 bytes."},
    };
    for (const auto& row : table)
        BOOST_TEST_CONTEXT(row.content) BOOST_TEST(complaint_of_file(row.content) == row.says);
}

BOOST_AUTO_TEST_CASE(a_command_line_complaint_names_the_setting) {
    const struct {
        std::vector<std::string> words;
        std::string_view says;
    } table[] = {
        {{"--sokcet", "/run/x"}, "command line: unknown setting '--sokcet'."},
        {{"--smtp-pasword=hunter2"}, "command line: unknown setting '--smtp-pasword'."},
        {{"--smtp-pass=hunter2"},
         "command line: unknown setting '--smtp-pass'."}, // no abbreviations
        {{"--threads", "x"}, "command line: threads must be a whole number from 1 to 4096."},
        {{"--threads"}, "command line: --threads is written wrongly."},
        {{"--threads="}, "command line: --threads is written wrongly."},
        {{"--help=x"}, "command line: --help is written wrongly."},
        {{"--threads", "1", "--threads", "2"}, "command line: --threads is given twice."},
        {{"--config", "a", "--config", "b"}, "command line: --config is given twice."},
        {{"hunter2"}, "command line: a word stands there that is no setting."},
        {{"--smtp-password", "hunter2", "hunter2"},
         "command line: a word stands there that is no setting."},
        {{"-t", "4"}, "command line: a word stands there that is no setting."},
        {{"--base-url", "https://user:hunter2@example.org"},
         "command line: base-url must be an origin such as https://example.org:8443: http or "
         "https, "
         "host and port, nothing after them."},
    };
    for (const auto& row : table) {
        BOOST_TEST(provider_error(row.words) == row.says);
        BOOST_TEST(provider_error(row.words).find("hunter2") == std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(an_unreadable_file_is_named) {
    const TemporaryFolder folder;
    const std::string missing = (folder.path() / "missing.conf").string();
    BOOST_TEST(provider_error({"--config", missing}) ==
               missing + " can't be read: No such file or directory.");
    BOOST_TEST(provider_error({"--config", folder.path().string()}) ==
               folder.path().string() + " can't be read: Is a directory.");
}

BOOST_AUTO_TEST_CASE(an_origin_has_nothing_after_it) {
    const struct {
        std::string text;
        std::string canonical; ///< empty: refused
    } table[] = {
        {"https://example.org", "https://example.org"},
        {"https://Example.ORG:443", "https://example.org"},
        {"https://localhost:8443", "https://localhost:8443"},
        {"http://127.0.0.1:8080", "http://127.0.0.1:8080"},
        {"https://[::1]:8443", "https://[::1]:8443"},
        {"https://example.org/", ""},
        {"https://example.org/a", ""},
        {"https://example.org?x", ""},
        {"https://u@example.org", ""},
        {"ftp://example.org", ""},
        {"example.org", ""},
    };
    for (const auto& row : table) BOOST_TEST_CONTEXT(row.text) {
            if (row.canonical.empty())
                BOOST_CHECK_THROW(read({"--base-url", row.text}), ConfigError);
            else
                BOOST_TEST(read({"--base-url", row.text}).settings.base_url == row.canonical);
        }
}

BOOST_AUTO_TEST_CASE(mail_servers_are_spelled_in_one_way) {
    const struct {
        std::string text;
        std::string canonical; ///< empty: refused
    } table[] = {
        {"smtp://localhost:25", "smtp://localhost:25"},
        {"smtps://MAIL.example.org:465", "smtps://mail.example.org:465"},
        {"smtp://[::1]:2525", "smtp://[::1]:2525"},
        {"smtp://127.0.0.1:2525", "smtp://127.0.0.1:2525"},
        {"smtp://u:hunter2@mail.example.org:25", ""},
        {"smtp://mail.example.org:25/x", ""},
        {"smtp://mail.example.org:0", ""},
        {"smtp://:25", ""},
        {"https://mail.example.org:25", ""},
        {"mail.example.org:25", ""},
    };
    for (const auto& row : table) BOOST_TEST_CONTEXT(row.text) {
            if (row.canonical.empty())
                BOOST_CHECK_THROW(read({"--smtp-url", row.text}), ConfigError);
            else
                BOOST_TEST(read({"--smtp-url", row.text}).settings.smtp_url == row.canonical);
        }
}

BOOST_AUTO_TEST_CASE(the_words_after_the_options_are_the_command) {
    const struct {
        std::vector<std::string> words;
        std::vector<std::string> arguments;
    } table[] = {
        {{}, {}},
        {{"migrate"}, {"migrate"}},
        {{"--threads", "4", "user", "add", "ada@example.org", "--name", "Ada"},
         {"user", "add", "ada@example.org", "--name", "Ada"}},
        {{"--threads=4", "ring", "init", "--directory", "x"}, {"ring", "init", "--directory", "x"}},
        {{"migrate", "--threads", "4"}, {"migrate", "--threads", "4"}},
        {{"--dump-config", "migrate"}, {"migrate"}},
        {{"--socket", "--x", "migrate"}, {"migrate"}},
    };
    for (const auto& row : table) {
        const auto command_line = read(row.words, true);
        BOOST_TEST(command_line.arguments == row.arguments, boost::test_tools::per_element());
    }
    BOOST_TEST(read({"--threads", "4", "migrate"}, true).settings.threads == 4U);
    BOOST_TEST(read({"migrate", "--threads", "4"}, true).settings.threads == 0U);
    BOOST_CHECK_THROW(read({"--nonsense", "migrate"}, true), ConfigError);
    BOOST_CHECK_THROW(read({"--threads"}, true), ConfigError);
}

BOOST_AUTO_TEST_CASE(flags_are_told) {
    BOOST_TEST(read({"--help"}).help);
    BOOST_TEST(read({"--version"}).version);
    BOOST_TEST(read({"--dump-config"}).dump);
    BOOST_TEST(!read({}).help);
    BOOST_TEST(!read({}).version);
    BOOST_TEST(!read({}).dump);
    BOOST_TEST(read({"--config", "/nonexistent/file", "--help"}).help); // help needs no good file
}

BOOST_AUTO_TEST_CASE(every_row_is_in_the_help_with_its_default) {
    std::ostringstream out;
    print_help(out, "usershell-manage");
    const std::string help = out.str();
    BOOST_TEST(help.starts_with("Usage: usershell-manage "));
    for (const auto& row : setting_rows()) BOOST_TEST_CONTEXT(row.name) {
            const auto begin = help.find("  --" + std::string{row.name} + " ");
            BOOST_TEST_REQUIRE(begin != std::string::npos);
            BOOST_TEST(!row.help.empty());
            std::string entry = help.substr(begin, help.find("\n  --", begin + 1) - begin);
            std::erase_if(entry, [](char c) { return c == ' ' || c == '\n'; });
            std::string words = std::string{row.help};
            if (!row.fallback.empty()) words += "(default:" + std::string{row.fallback} + ")";
            std::erase(words, ' ');
            BOOST_TEST(entry.find(words) != std::string::npos);
            BOOST_TEST(entry.find(row.placeholder) != std::string::npos);
        }
    for (const std::string_view flag : {"--help", "--version", "--dump-config", "--config"})
        BOOST_TEST(help.find(flag) != std::string::npos);
    std::istringstream lines{help};
    for (std::string line; std::getline(lines, line);) BOOST_TEST(line.size() <= 100U);
}

BOOST_AUTO_TEST_CASE(every_row_is_in_the_dump) {
    const std::string nothing_set = dump(Settings{});
    const std::string defaults = dump(default_settings());
    for (const auto& row : setting_rows()) BOOST_TEST_CONTEXT(row.name) {
            const std::string name{row.name};
            const bool set = defaults.find("\n" + name + " = ") != std::string::npos;
            const bool unset =
                ("\n" + defaults).find("\n# " + name + " is not set\n") != std::string::npos;
            BOOST_TEST(set == !row.fallback.empty());
            BOOST_TEST(unset == row.fallback.empty());
            BOOST_TEST(nothing_set.find(name) != std::string::npos);
        }
}

BOOST_AUTO_TEST_CASE(a_dump_reads_back_but_for_its_secrets) {
    const Settings settings =
        read_file("threads = 7\nbase-url = https://example.org:8443\negress-allow = 127.0.0.1:1\n"
                  "egress-allow = [fd00::/8]:2\nrequire-https = true\nupstream-total-timeout = 33\n"
                  "catalogue-base-url = exa=http://127.0.0.1:1\nsmtp-password = hunter2\n"
                  "database = dbname=x password=hunter2\n");
    const std::string shown = dump(settings);
    BOOST_TEST(shown.find("hunter2") == std::string::npos);
    BOOST_TEST(shown.find("smtp-password = ********\n") != std::string::npos);
    BOOST_TEST(dump(read_file(shown)) == shown);
    BOOST_TEST(dump(Settings{}).find("smtp-password = ") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(rows_are_well_formed) {
    for (const auto& row : setting_rows()) BOOST_TEST_CONTEXT(row.name) {
            BOOST_TEST(row.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") ==
                       std::string_view::npos);
            BOOST_TEST(find_setting(row.name) == &row);
            BOOST_TEST(row.min <= row.max);
            BOOST_TEST(!row.placeholder.empty());
        }
    BOOST_TEST(find_setting("") == nullptr);
    BOOST_TEST(find_setting("thread") == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
