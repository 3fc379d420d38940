#include "domain/passwords/password_rule.hpp"
#include "domain/settings/config.hpp"
#include "tests/unit/freed_memory.hpp"
#include "tests/unit/temporary_folder.hpp"
#include "tests/unit/web/refusal_check.hpp"
namespace {
const std::string list = "password\nSunshine\r\nadministrator\n1qaz2wsx3edc\n\xc3\x9c"
                         "bergewicht\nab\n\n";
std::string error_in(std::string_view password) {
    const TemporaryFolder folder;
    const PasswordRule rule{folder.write("common", list), "https://shell.example.org:8443"};
    return rule.error_in(password, "Ada.L@example.org", "Ada K\xc3\xb6nig Lovelace").english();
}

BOOST_AUTO_TEST_CASE(each_rule_has_its_sentence) {
    const std::pair<std::string, std::vector<std::string>> table[] = {
        {"A password has at least 12 characters.",
         {"", "elevenchars", repeated("\xc3\xa4", 11), // 22 bytes
          repeated("a\u0308", 11)}},                   // the same, typed in two parts
        {"A password has at most 1,024 bytes.", {repeated("0123456789abcde ", 64) + "x"}},
        {"A password is text.", {"horse battery\xff", "horse battery\xed\xa0\x80"}},
        {"A password has no control characters.", {"horse\tbattery 7", "horse battery\u0085"}},
        {"A password needs letters besides digits and signs.", {"123456789012", "2024-01-02 !?"}},
        {"A password can't be your own address.",
         {"ada.l@example.org", "ADA.L@EXAMPLE.ORG99", "ada_l_18151852"}},
        {"A password can't be your own name.",
         {"Ada K\xc3\x96NIG Lovelace", "adak\xc3\xb6niglovelace!", "!!Lovelace1815",
          "k\xc3\xb6nig-k\xc3\xb6nig!", "ko\u0308nig-ko\u0308nig!"}},
        {"A password can't be the name of this service.",
         {"Usershell2026!", "usershellusershell", "shell.example.org"}},
        {"This password is easy to guess. Try a few unrelated words.",
         {"1QAZ2wsx3edc", "administrator", "Sunshine2024!", "2024sunshine!", "passwordpassword",
          ("\xc3\xbc"
           "bergewicht!"),
          "aaaaaaaaaaaa", "abcabcabcabc", "abababababab12"}},
        {"",
         {// twelve letters of two bytes each
          ("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xc3\xa5\xc3\xa6"
           "\xc3\xb8\xc3\xb1\xc3\xa7\xc3\xa9\xc3\xa8\xc3\xaa"),
          "correct horse", " leading and trailing ",
          repeated("0123456789abcde ", 63) + "sixteen more ok.",
          repeated("a\u0301b\u0302c d", 120), // 960 bytes in its one form
          "adalovelace1815",                  // the name has another word between
          "lovelace of turin", "password-with-more", "abcdabcdabcd"}},
    };
    for (const auto& [error, passwords] : table)
        for (const auto& password : passwords)
            BOOST_TEST_CONTEXT(password) BOOST_TEST(error_in(password) == error);
}

BOOST_AUTO_TEST_CASE(a_list_that_is_no_list_is_refused) {
    const TemporaryFolder folder;
    const auto sentence = [](const std::string& path) -> std::string {
        try {
            const PasswordRule rule{path, ""};
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "read";
    };
    const std::string missing = folder.path() / "missing";
    BOOST_TEST(sentence(missing) == "The list of common passwords '" + missing +
                                        "' can't be read: No such file or directory.");
    BOOST_TEST(sentence(folder.path()).ends_with("' can't be read: Is a directory."));
    BOOST_TEST(sentence(folder.write("empty", "\n \nab\n")).ends_with("' has none in it."));
}

BOOST_AUTO_TEST_CASE(no_copy_of_a_password_stays_behind) {
    const std::string password = "canary battery staple";
    const TemporaryFolder folder;
    const PasswordRule rule{folder.write("common", list), "https://localhost"};
    const FreedMemory freed{"canary battery"};
    BOOST_TEST(rule.error_in(password, "a@b.example", "A").empty());
    BOOST_TEST(freed.blocks_with_marker() == 0);
}
} // namespace
