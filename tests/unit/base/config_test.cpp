#include "base/settings/config.hpp"

#include "base/settings/setting_table.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <sstream>

#include <boost/test/unit_test.hpp>

using namespace usershell;
using usershell::test::TemporaryFolder;
using namespace std::chrono_literals;

namespace {

constexpr Program manage = Program::manage;
constexpr Program execute = Program::execute;
constexpr Program mail = Program::mail;
constexpr Program ctl = Program::ctl;

CommandLine read(Program program, const std::vector<std::string>& words) {
    std::vector<const char*> argv{"program"};
    for (const auto& word : words) argv.push_back(word.c_str());
    return read_settings(program, static_cast<int>(argv.size()), argv.data());
}

Settings read_file(Program program, const std::string& content,
                   std::vector<std::string> words = {}) {
    const TemporaryFolder folder;
    words.insert(words.begin(), {"--config", folder.write("a.conf", content)});
    return read(program, words).settings;
}

std::string error_of(Program program, const std::vector<std::string>& words) {
    try {
        read(program, words);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "none";
}

/// The message without the folder of the file.
std::string error_of_file(Program program, const std::string& content) {
    const TemporaryFolder folder;
    std::string message = error_of(program, {"--config", folder.write("a.conf", content)});
    const std::string prefix = folder.path().string() + "/";
    if (message.starts_with(prefix)) message.erase(0, prefix.size());
    return message;
}

std::string dump(Program program, const Settings& settings) {
    std::ostringstream out;
    dump_settings(out, program, settings);
    return out.str();
}

} // namespace

BOOST_AUTO_TEST_SUITE(config)

BOOST_AUTO_TEST_CASE(defaults_are_those_of_the_contract) {
    const Settings pages = read(manage, {}).settings;
    BOOST_TEST((pages.session_idle == 24h));
    BOOST_TEST((pages.session_absolute == 24h * 14));
    BOOST_TEST((pages.recent_sign_in == 5min));
    BOOST_TEST((pages.keep_events == 24h * 90));
    BOOST_TEST(pages.templates == "/usr/share/usershell/templates");
    BOOST_TEST(pages.common_passwords == "/usr/share/usershell/common-passwords");
    BOOST_TEST(pages.database == "dbname=usershell");
    BOOST_TEST(pages.password_opslimit == 2U);
    BOOST_TEST(pages.password_memlimit == 64U * 1024 * 1024);
    BOOST_TEST(!pages.require_https);
    BOOST_TEST(pages.forgot_password);
    BOOST_TEST(pages.notify_old_address);
    BOOST_TEST(!pages.mail_configured());
    const Settings calls = read(execute, {}).settings;
    BOOST_TEST((calls.upstream_connect_timeout == 10s));
    BOOST_TEST((calls.upstream_first_byte_timeout == 120s));
    BOOST_TEST((calls.upstream_silence_timeout == 60s));
    BOOST_TEST((calls.upstream_total_timeout == 10min));
    BOOST_TEST((calls.upstream_test_timeout == 30s));
    BOOST_TEST(calls.hold_keys_on_change);
    BOOST_TEST(calls.egress_allow.empty());
    BOOST_TEST(calls.templates == "", "a setting of other programs stays empty");
}

BOOST_AUTO_TEST_CASE(a_file_is_read) {
    const Settings pages =
        read_file(manage, "# a comment\n\n  threads=16  \r\nbase-url = https://Example.org:443\n"
                          "database = host=/run/pg dbname=x # not a comment\n"
                          "egress-allow = 127.0.0.1:11434\negress-allow = 10.0.0.0/8:8080\n"
                          "catalogue-base-url = openai=HTTPS://Gateway.example/v1/\n"
                          "require-https = yes\nsession-idle = 60\n"
                          "mail-public = /etc/usershell/mail.public\n");
    BOOST_TEST(pages.threads == 16U);
    BOOST_TEST(pages.base_url == "https://example.org");
    BOOST_TEST(pages.database == "host=/run/pg dbname=x # not a comment");
    BOOST_TEST(
        (pages.egress_allow == std::vector<std::string>{"127.0.0.1:11434", "10.0.0.0/8:8080"}));
    BOOST_TEST((pages.catalogue_base_url ==
                std::vector<std::string>{"openai=https://gateway.example/v1"}));
    BOOST_TEST(pages.require_https);
    BOOST_TEST((pages.session_idle == 60s));
    BOOST_TEST(pages.mail_configured());
    BOOST_TEST(!read_file(execute, "hold-keys-on-change = off\n").hold_keys_on_change);
    const Settings mails = read_file(mail, "smtp-url = smtp://Mail.example.org:587\n"
                                           "smtp-password = p#a = s\"s \n"
                                           "smtp-from = Post@Example.org");
    BOOST_TEST(mails.smtp_url == "smtp://mail.example.org:587");
    BOOST_TEST(mails.smtp_password == "p#a = s\"s");
    BOOST_TEST(mails.smtp_from == "Post@Example.org");
}

BOOST_AUTO_TEST_CASE(the_command_line_wins) {
    const std::string file = "threads = 16\nsocket = /run/a\negress-allow = 127.0.0.1:1\n"
                             "egress-allow = 127.0.0.1:2\nmail-public = /etc/mail.public\n";
    for (const std::vector<std::string>& unset :
         {std::vector<std::string>{"--mail-public", ""}, {"--mail-public="}}) {
        std::vector<std::string> words{"--threads", "4", "--egress-allow=127.0.0.1:3",
                                       "--egress-allow", "127.0.0.1:4"};
        words.insert(words.end(), unset.begin(), unset.end());
        const Settings settings = read_file(manage, file, words);
        BOOST_TEST(settings.threads == 4U);
        BOOST_TEST(settings.socket == "/run/a");
        BOOST_TEST(
            (settings.egress_allow == std::vector<std::string>{"127.0.0.1:3", "127.0.0.1:4"}));
        BOOST_TEST(!settings.mail_configured());
    }
}

BOOST_AUTO_TEST_CASE(an_error_in_a_file_names_line_and_setting) {
    const std::string origin = "base-url must be an origin such as https://example.org:8443: http "
                               "or https, host and port, nothing after them.";
    const std::string server = "smtp-url must be smtp://host:port or smtps://host:port.";
    const struct {
        Program program;
        std::string content;
        std::string says; ///< behind "a.conf, line "
    } table[] = {
        {manage, "threads = 8\n\nsokcet = /run/x\n", "3: unknown setting 'sokcet'."},
        {manage, "hunter2\n", "1: a line must read 'name = value'."},
        {manage, "= x\n", "1: unknown setting ''."},
        {manage, "BlockingPool = 8\n", "1: unknown setting 'BlockingPool'."},
        {manage, "thread = 8\n", "1: unknown setting 'thread'."},
        {manage, "t\xff\x1b = 8\n", "1: unknown setting 't\xef\xbf\xbd '."},
        {manage, "config = /etc/x\n", "1: unknown setting 'config'."},
        {manage, "threads = 8\n#\nthreads = 9\n", "3: threads is set a second time, after line 1."},
        {manage, "threads =\n", "1: threads must be a whole number from 1 to 4096."},
        {manage, "threads = 0\n", "1: threads must be a whole number from 1 to 4096."},
        {manage, "threads = 4097\n", "1: threads must be a whole number from 1 to 4096."},
        {manage, "threads = -1\n", "1: threads must be a whole number from 1 to 4096."},
        {manage, "threads = 8 \n\nsession-idle = 1h\n",
         "3: session-idle must be a whole number from 1 to 31536000."},
        {manage, "session-idle = 0\n",
         "1: session-idle must be a whole number from 1 to 31536000."},
        {manage, "keep-events = 604799\n",
         "1: keep-events must be a whole number from 604800 to 31536000."},
        {manage, "password-memlimit = 99999999999999999999\n",
         "1: password-memlimit must be a whole number from 8192 to 4294967296."},
        {manage, "require-https = maybe\n", "1: require-https must be true or false."},
        {manage, "require-https =\n", "1: require-https must be true or false."},
        {manage, "base-url = https://example.org/app\n", "1: " + origin},
        {manage, "egress-allow = localhost\n",
         "1: egress-allow must be host:port, [IPv6]:port or network/bits:port, with no bits set "
         "beyond the prefix."},
        {manage, "egress-allow =\n", "1: egress-allow must be given a value."},
        {manage, "catalogue-base-url = nobody=https://x.example\n",
         "1: catalogue-base-url must be type=URL with a type of the catalogue."},
        {manage, "catalogue-base-url = openai\n",
         "1: catalogue-base-url must be type=URL with a type of the catalogue."},
        {manage, "catalogue-base-url = openai=https://u:hunter2@x.example\n",
         "1: catalogue-base-url must be type=URL with a valid base URL."},
        {mail, "smtp-url = smtp://mail.example.org\n", "1: " + server},
        {mail, "smtp-from = nobody\n", "1: smtp-from must be a mail address."},
        {mail, "smtp-password = hunter2\x01\n",
         "1: smtp-password must be text without control characters."},
        {mail, "smtp-user = \xff\n", "1: smtp-user must be text without control characters."},
        {manage, "socket = " + std::string(108, 'x') + "\n",
         "1: socket must be a path of at most 107 bytes."},
        // Of other programs: no file holds what its program has no use for, secrets above all.
        {manage, "smtp-password = hunter2\n",
         "1: smtp-password is a setting of usershell-mail; usershell-manage does not read it."},
        {execute, "web-secret = /etc/x\n",
         "1: web-secret is a setting of usershell-manage and usershellctl; usershell-execute does "
         "not "
         "read it."},
        {ctl, "threads = 8\n",
         "1: threads is a setting of usershell-manage and usershell-execute; usershellctl does not "
         "read it."},
    };
    for (const auto& row : table) BOOST_TEST_CONTEXT(row.content) {
            const std::string error = error_of_file(row.program, row.content);
            BOOST_TEST(error == "a.conf, line " + row.says);
            BOOST_TEST(error.find("hunter2") == std::string::npos);
        }
}

BOOST_AUTO_TEST_CASE(an_error_in_the_command_line_names_the_setting) {
    const std::pair<std::vector<std::string>, std::string> table[] = {
        {{"--sokcet", "/run/x"}, "unknown setting 'sokcet'."},
        {{"--smtp-pasword=hunter2"}, "unknown setting 'smtp-pasword'."},
        {{"--smtp-pass=hunter2"}, "unknown setting 'smtp-pass'."}, // no abbreviations
        {{"--=hunter2"}, "unknown setting ''."},
        {{"--\xc3\x28\x1b[2J=hunter2"}, "unknown setting '\xef\xbf\xbd( [2J'."},
        {{"--" + std::string(99, 'x')}, "unknown setting '" + std::string(59, 'x') + "…'."},
        {{"--threads", "x"}, "threads must be a whole number from 1 to 4096."},
        {{"--threads="}, "threads must be a whole number from 1 to 4096."},
        {{"--threads"}, "--threads needs a value."},
        {{"--config"}, "--config needs a value."},
        {{"--help=x"}, "--help takes no value."},
        {{"--threads", "1", "--threads", "2"}, "--threads is given twice."},
        {{"--config", "a", "--config", "b"}, "--config is given twice."},
        {{"hunter2"}, "a word stands there that is no setting."},
        {{"--socket=", "hunter2"}, "a word stands there that is no setting."},
        {{"-t", "4"}, "a word stands there that is no setting."},
        {{"--"}, "a word stands there that is no setting."},
        {{"--smtp-password=hunter2"},
         "smtp-password is a setting of usershell-mail; usershell-manage does not read it."},
    };
    for (const auto& [words, says] : table) BOOST_TEST_CONTEXT(words.front()) {
            const std::string error = error_of(manage, words);
            BOOST_TEST(error == "command line: " + says);
            BOOST_TEST(error.find("hunter2") == std::string::npos);
        }
}

BOOST_AUTO_TEST_CASE(an_unreadable_file_is_named) {
    const TemporaryFolder folder;
    const std::string missing = (folder.path() / "missing.conf").string();
    BOOST_TEST(error_of(manage, {"--config", missing}) ==
               missing + " can't be read: No such file or directory.");
    BOOST_TEST(error_of(manage, {"--config", folder.path().string()}) ==
               folder.path().string() + " can't be read: Is a directory.");
}

BOOST_AUTO_TEST_CASE(addresses_are_spelled_in_one_way) {
    const auto base = [](const std::string& url) {
        return read(manage, {"--base-url=" + url}).settings.base_url;
    };
    const auto smtp = [](const std::string& url) {
        return read(mail, {"--smtp-url=" + url}).settings.smtp_url;
    };
    BOOST_TEST(base("https://example.org") == "https://example.org");
    BOOST_TEST(base("https://Example.ORG:443") == "https://example.org");
    BOOST_TEST(base("http://127.0.0.1:8080") == "http://127.0.0.1:8080");
    BOOST_TEST(base("https://[::1]:8443") == "https://[::1]:8443");
    BOOST_TEST(smtp("smtp://localhost:25") == "smtp://localhost:25");
    BOOST_TEST(smtp("smtps://MAIL.example.org:465") == "smtps://mail.example.org:465");
    BOOST_TEST(smtp("smtp://[::1]:2525") == "smtp://[::1]:2525");
    for (const auto* const url : {"https://example.org/", "https://example.org?x",
                                  "https://u@example.org", "ftp://example.org", "example.org"})
        BOOST_TEST_CONTEXT(url) BOOST_CHECK_THROW(base(url), ConfigError);
    for (const auto* const url :
         {"smtp://u:hunter2@mail.example.org:25", "smtp://mail.example.org:25/x",
          "smtp://mail.example.org:0", "smtp://:25", "https://mail.example.org:25",
          "mail.example.org:25"})
        BOOST_TEST_CONTEXT(url) BOOST_CHECK_THROW(smtp(url), ConfigError);
}

BOOST_AUTO_TEST_CASE(what_follows_the_options_is_the_command) {
    const std::pair<std::vector<std::string>, std::vector<std::string>> table[] = {
        {{}, {}},
        {{"migrate"}, {"migrate"}},
        {{"--base-url", "https://x.example", "user", "add", "ada@example.org", "--name", "Ada"},
         {"user", "add", "ada@example.org", "--name", "Ada"}},
        {{"--mail-public=", "ring", "init", "--directory", "x"},
         {"ring", "init", "--directory", "x"}},
        {{"migrate", "--base-url", "4"}, {"migrate", "--base-url", "4"}},
        {{"--dump-config", "migrate"}, {"migrate"}},
        {{"--templates", "--x", "migrate"}, {"migrate"}},
    };
    for (const auto& [words, arguments] : table)
        BOOST_TEST(read(ctl, words).arguments == arguments, boost::test_tools::per_element());
    BOOST_CHECK_THROW(read(ctl, {"--nonsense", "migrate"}), ConfigError);
    BOOST_CHECK_THROW(read(ctl, {"--templates"}), ConfigError);
}

BOOST_AUTO_TEST_CASE(flags_are_told) {
    BOOST_TEST(read(manage, {"--help"}).help);
    BOOST_TEST(read(manage, {"--version"}).version);
    BOOST_TEST(read(manage, {"--dump-config"}).dump);
    BOOST_TEST(read(manage, {"--check-config"}).check);
    BOOST_CHECK_THROW(read(ctl, {"--check-config"}), ConfigError);
    const CommandLine none = read(manage, {});
    BOOST_TEST(!(none.help || none.version || none.dump || none.check));
    BOOST_TEST(read(manage, {"--config", "/nonexistent/file", "--help"}).help);
}

BOOST_AUTO_TEST_CASE(help_and_dump_have_the_rows_of_the_program) {
    const auto squeezed = [](std::string text) {
        std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
        return text;
    };
    for (const Program program : all_programs) {
        std::ostringstream out;
        print_help(out, program);
        const std::string help = out.str();
        const std::string defaults = "\n" + dump(program, default_settings(program));
        BOOST_TEST(help.starts_with("Usage: " + std::string{name_of(program)} + " "));
        for (const std::string_view flag : {"--help", "--version", "--dump-config", "--config"})
            BOOST_TEST(help.find(flag) != std::string::npos);
        for (const auto& row : setting_rows()) BOOST_TEST_CONTEXT(row.name) {
                const std::string name{row.name};
                const auto begin = help.find("  --" + name + " ");
                const bool set = defaults.find("\n" + name + " = ") != std::string::npos;
                const bool unset =
                    defaults.find("\n# " + name + " is not set\n") != std::string::npos;
                BOOST_TEST((begin != std::string::npos) == row.read_by(program));
                BOOST_TEST(set == (row.read_by(program) && !row.fallback.empty()));
                BOOST_TEST(unset == (row.read_by(program) && row.fallback.empty()));
                if (begin == std::string::npos) continue;
                std::string words = name + std::string{row.placeholder} + std::string{row.help};
                if (!row.fallback.empty()) words += "(default:" + std::string{row.fallback} + ")";
                BOOST_TEST(squeezed(help.substr(begin)).starts_with("--" + squeezed(words)));
            }
        std::istringstream lines{help};
        for (std::string line; std::getline(lines, line);) BOOST_TEST(line.size() <= 100U);
    }
}

BOOST_AUTO_TEST_CASE(a_dump_reads_back_but_for_its_secrets) {
    const Settings settings = read_file(
        execute, "threads = 7\nbase-url = https://example.org:8443\negress-allow = 127.0.0.1:1\n"
                 "egress-allow = [fd00::/8]:2\nupstream-total-timeout = 33\n"
                 "database = dbname=x password=hunter2\n");
    const std::string shown = dump(execute, settings);
    BOOST_TEST(shown.find("hunter2") == std::string::npos);
    BOOST_TEST(shown.find("database = ********\n") != std::string::npos);
    BOOST_TEST(dump(execute, read_file(execute, shown)) == shown);
    BOOST_TEST(dump(mail, read_file(mail, "smtp-password = hunter2\n"))
                   .find("smtp-password = ********\n") != std::string::npos);
    BOOST_TEST(dump(mail, Settings{}).find("smtp-password = ") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(rows_are_well_formed) {
    for (const auto& row : setting_rows()) BOOST_TEST_CONTEXT(row.name) {
            BOOST_TEST(row.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") ==
                       std::string_view::npos);
            BOOST_TEST(find_setting(row.name) == &row);
            BOOST_TEST(row.min <= row.max);
            BOOST_TEST(!row.placeholder.empty());
            BOOST_TEST(!row.help.empty());
            BOOST_TEST(row.programs != 0U);
        }
}

BOOST_AUTO_TEST_SUITE_END()
