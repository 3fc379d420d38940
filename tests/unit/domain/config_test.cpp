#include "domain/settings/config.hpp"
#include "domain/settings/setting_table.hpp"
#include "tests/unit/test.hpp"
using usershell::test::TemporaryFolder;
namespace {
constexpr Program auth = Program::auth;
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

BOOST_AUTO_TEST_CASE(a_file_is_read) {
    const Settings pages =
        read_file(manage, "# a comment\n\n  threads=16  \r\nbase-url = https://Example.org:443\n"
                          "database = host=/run/pg dbname=x # not a comment\n"
                          "egress-allow = 127.0.0.1:11434\negress-allow = 10.0.0.0/8:8080\n"
                          "catalogue-base-url = openai=HTTPS://Gateway.example/v1/\n"
                          "require-https = yes\n");
    BOOST_TEST(pages.threads == 16U);
    BOOST_TEST(pages.base_url == "https://example.org");
    BOOST_TEST(pages.database == "host=/run/pg dbname=x # not a comment");
    BOOST_TEST(
        (pages.egress_allow == std::vector<std::string>{"127.0.0.1:11434", "10.0.0.0/8:8080"}));
    BOOST_TEST((pages.catalogue_base_url ==
                std::vector<std::string>{"openai=https://gateway.example/v1"}));
    BOOST_TEST(pages.require_https);
    BOOST_TEST(!pages.provider_cookies);
    BOOST_TEST(read_file(execute, "provider-cookies = true\n").provider_cookies);
    const Settings sign_in = read_file(auth, "session-idle = 60\n"
                                             "mail-public = /etc/usershell/mail.public\n");
    BOOST_TEST((sign_in.session_idle == 60s));
    BOOST_TEST(sign_in.mail_configured());
    const Settings mails = read_file(mail, "smtp-url = smtps://Mail.example.org:587\n"
                                           "smtp-password = p#a = s\"s \n"
                                           "smtp-from = Post@Example.org");
    BOOST_TEST(mails.smtp_url == "smtps://mail.example.org:587");
    BOOST_TEST(mails.smtp_password == "p#a = s\"s");
    BOOST_TEST(mails.smtp_from == "Post@Example.org");
}

BOOST_AUTO_TEST_CASE(the_command_line_wins) {
    const std::string file = "threads = 16\nsocket = /run/a\negress-allow = 127.0.0.1:1\n"
                             "egress-allow = 127.0.0.1:2\nvault-public = /etc/vault.public\n";
    for (const std::vector<std::string>& unset :
         {std::vector<std::string>{"--vault-public", ""}, {"--vault-public="}}) {
        std::vector<std::string> words{"--threads", "4", "--egress-allow=127.0.0.1:3",
                                       "--egress-allow", "127.0.0.1:4"};
        words.insert(words.end(), unset.begin(), unset.end());
        const Settings settings = read_file(manage, file, words);
        BOOST_TEST(settings.threads == 4U);
        BOOST_TEST(settings.socket == "/run/a");
        BOOST_TEST(
            (settings.egress_allow == std::vector<std::string>{"127.0.0.1:3", "127.0.0.1:4"}));
        BOOST_TEST(settings.vault_public == "");
    }
}

BOOST_AUTO_TEST_CASE(an_error_in_a_file_names_line_and_setting) {
    const std::string origin = "base-url must be an origin such as https://example.org:8443: http "
                               "or https, host and port, nothing after them.";
    const std::string server = "smtp-url must be smtp://host:port or smtps://host:port.";
    const std::tuple<Program, std::string, std::string> table[] = {
        {manage, "threads = 8\n\nsokcet = /run/x\n", "3: unknown setting 'sokcet'."},
        {manage, "hunter2\n", "1: a line must read 'name = value'."},
        {manage, "Threads = 8\n", "1: unknown setting 'Threads'."},
        {manage, "threads = 8\n#\nthreads = 9\n", "3: threads is set a second time, after line 1."},
        {manage, "threads =\n", "1: threads must be a whole number from 1 to 4096."},
        {manage, "threads = 0\n", "1: threads must be a whole number from 1 to 4096."},
        {manage, "threads = 4097\n", "1: threads must be a whole number from 1 to 4096."},
        {auth, "keep-events = 604799\n",
         "1: keep-events must be a whole number from 604800 to 31536000."},
        {manage, "require-https = maybe\n", "1: require-https must be true or false."},
        {manage, "base-url = https://example.org/app\n", "1: " + origin},
        {manage, "egress-allow = localhost\n",
         "1: egress-allow must be host:port, [IPv6]:port or network/bits:port, with no bits set "
         "beyond the prefix."},
        {manage, "egress-allow =\n", "1: egress-allow must be given a value."},
        {manage, "catalogue-base-url = nobody=https://x.example\n",
         "1: catalogue-base-url must be type=URL with a type of the catalogue."},
        {manage, "catalogue-base-url = openai=https://u:hunter2@x.example\n",
         "1: catalogue-base-url must be type=URL with a valid base URL."},
        {manage, "base-url = https://example.org/\n", "1: " + origin},
        {manage, "base-url = https://u@example.org\n", "1: " + origin},
        {manage, "base-url = example.org\n", "1: " + origin},
        {mail, "smtp-url = smtp://mail.example.org\n", "1: " + server},
        {mail, "smtp-url = smtp://u:hunter2@mail.example.org:25\n", "1: " + server},
        {mail, "smtp-url = smtp://mail.example.org:25/x\n", "1: " + server},
        {mail, "smtp-url = smtp://mail.example.org:0\n", "1: " + server},
        {mail, "smtp-url = smtp://:25\n", "1: " + server},
        {mail, "smtp-url = https://mail.example.org:25\n", "1: " + server},
        {mail, "smtp-url = mail.example.org:25\n", "1: " + server},
        {mail, "smtp-from = nobody\n", "1: smtp-from must be a mail address."},
        {mail, "smtp-password = hunter2\x01\n",
         "1: smtp-password must be text without control characters."},
        {manage, "socket = " + std::string(108, 'x') + "\n",
         "1: socket must be a path of at most 107 bytes."},
        // Of other programs: no file holds what its program has no use for, secrets above all.
        {manage, "smtp-password = hunter2\n",
         "1: smtp-password is a setting of usershell-mail; usershell-manage does not read it."},
        {manage, "mail-public = /etc/mail.public\n",
         "1: mail-public is a setting of usershell-auth and usershellctl; usershell-manage does "
         "not "
         "read it."},
        {auth, "vault-public = /etc/vault.public\n",
         "1: vault-public is a setting of usershell-manage; usershell-auth does not read it."},
    };
    for (const auto& [program, content, says] : table) BOOST_TEST_CONTEXT(content) {
            const std::string error = error_of_file(program, content);
            BOOST_TEST(error == "a.conf, line " + says);
            BOOST_TEST(!has(error, "hunter2"));
        }
}

BOOST_AUTO_TEST_CASE(an_error_in_the_command_line_names_the_setting) {
    const std::pair<std::vector<std::string>, std::string> table[] = {
        {{"--sokcet", "/run/x"}, "unknown setting 'sokcet'."},
        {{"--smtp-pass=hunter2"}, "unknown setting 'smtp-pass'."}, // no abbreviations
        {{"--\xc3\x28\x1b[2J=hunter2"}, "unknown setting '\xef\xbf\xbd( [2J'."},
        {{"--" + std::string(99, 'x')}, "unknown setting '" + std::string(59, 'x') + "…'."},
        {{"--threads="}, "threads must be a whole number from 1 to 4096."},
        {{"--threads"}, "--threads needs a value."},
        {{"--help=x"}, "--help takes no value."},
        {{"--threads", "1", "--threads", "2"}, "--threads is given twice."},
        {{"hunter2"}, "a word stands there that is no setting."},
        {{"-t", "4"}, "a word stands there that is no setting."},
        {{"--smtp-password=hunter2"},
         "smtp-password is a setting of usershell-mail; usershell-manage does not read it."},
    };
    for (const auto& [words, says] : table) BOOST_TEST_CONTEXT(words.front()) {
            const std::string error = error_of(manage, words);
            BOOST_TEST(error == "command line: " + says);
            BOOST_TEST(!has(error, "hunter2"));
        }
}

BOOST_AUTO_TEST_CASE(an_unreadable_file_is_named_and_help_needs_none) {
    const TemporaryFolder folder;
    const std::string missing = (folder.path() / "missing.conf").string();
    BOOST_TEST(error_of(manage, {"--config", missing}) ==
               missing + " can't be read: No such file or directory.");
    BOOST_TEST(error_of(manage, {"--config", folder.path().string()}) ==
               folder.path().string() + " can't be read: Is a directory.");
    BOOST_TEST(read(manage, {"--config", "/nonexistent/file", "--help"}).help);
    BOOST_CHECK_THROW(read(ctl, {"--check-config"}), ConfigError);
}

BOOST_AUTO_TEST_CASE(words_that_are_no_settings_are_the_command) {
    const std::pair<std::vector<std::string>, std::vector<std::string>> table[] = {
        {{}, {}},
        {{"--base-url", "https://x.example", "user", "add", "ada@example.org", "--name", "Ada"},
         {"user", "add", "ada@example.org", "--name", "Ada"}},
        {{"--mail-public=", "ring", "init", "--directory", "x"},
         {"ring", "init", "--directory", "x"}},
        {{"migrate", "--base-url=https://x.example", "--yes"}, {"migrate", "--yes"}},
        {{"--templates", "--x", "migrate"}, {"migrate"}},
    };
    for (const auto& [words, arguments] : table)
        BOOST_TEST(read(ctl, words).arguments == arguments, boost::test_tools::per_element());
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
        for (const auto& row : setting_rows()) BOOST_TEST_CONTEXT(row.name) {
                const std::string name{row.name};
                const auto begin = help.find("  --" + name + " ");
                const bool set = has(defaults, "\n" + name + " = ");
                BOOST_TEST((begin != std::string::npos) == row.read_by(program));
                BOOST_TEST(set == (row.read_by(program) && !row.fallback.empty()));
                if (begin == std::string::npos) continue;
                std::string words = name + std::string{row.placeholder} + std::string{row.help};
                if (!row.fallback.empty()) words += "(default:" + std::string{row.fallback} + ")";
                BOOST_TEST(squeezed(help.substr(begin)).starts_with("--" + squeezed(words)));
            }
    }
}

BOOST_AUTO_TEST_CASE(a_dump_reads_back_but_for_its_secrets) {
    const Settings settings = read_file(
        execute, "threads = 7\nbase-url = https://example.org:8443\negress-allow = 127.0.0.1:1\n"
                 "egress-allow = [fd00::/8]:2\nupstream-total-timeout = 33\n"
                 "database = dbname=x password=hunter2\n");
    const std::string shown = dump(execute, settings);
    BOOST_TEST(!has(shown, "hunter2"));
    BOOST_TEST(has(shown, "database = ********\n"));
    BOOST_TEST(dump(execute, read_file(execute, shown)) == shown);
    BOOST_TEST(has(dump(mail, read_file(mail, "smtp-password = hunter2\n")),
                   "smtp-password = ********\n"));
    BOOST_TEST(!has(dump(mail, Settings{}), "smtp-password = "));
}
} // namespace
