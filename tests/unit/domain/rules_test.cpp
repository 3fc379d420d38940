// The table of rules: what read() makes of a field, and that the table is whole; and the fields
// with rules of their own.
#include "domain/email.hpp"
#include "domain/entered.hpp"
#include "domain/passwords/password_rule.hpp"
#include "domain/settings/config.hpp"
#include "tests/unit/freed_memory.hpp"
#include <cmath>
#include <limits>
namespace {
using Given = std::optional<std::string>;
std::string stored(const rules::TextRule& rule, const Given& given) {
    std::string value;
    const std::string outcome = outcome_of([&] { value = rules::read(rule, given); });
    return outcome == "served" ? value : outcome;
}
const std::string emoji = "\xf0\x9f\x98\x80"; // four bytes, one code point

BOOST_AUTO_TEST_CASE(a_text_is_trimmed_and_counted_in_its_unit) {
    const std::tuple<const rules::TextRule&, Given, std::string> table[] = {
        {rules::provider_name, std::nullopt, "missing_field name"},
        {rules::provider_name, "", "missing_field name"},
        {rules::provider_name, " \t\xc2\xa0\xe3\x80\x80 ", "missing_field name"},
        {rules::provider_name, "\xe3\x80\x80Gr\xc3\xbcn\xc2\xa0", "Gr\xc3\xbcn"},
        {rules::provider_name, repeated(emoji, 100), repeated(emoji, 100)},
        {rules::provider_name, repeated(emoji, 101), "invalid_field name"},
        {rules::account_name, "  " + std::string(100, 'x') + "  ", std::string(100, 'x')},
        {rules::model_name, std::nullopt, ""},
        {rules::base_url, repeated("\xc3\xa4", 1024), repeated("\xc3\xa4", 1024)},
        {rules::base_url, repeated("\xc3\xa4", 1024) + "x", "invalid_field baseUrl"},
        {rules::api_key, std::string(4096, 'k'), std::string(4096, 'k')},
        {rules::api_key, std::string(4097, 'k'), "invalid_field apiKey"},
        {rules::api_key, "sk \xc3\xa4", "invalid_field apiKey"},
    };
    for (const auto& [rule, given, result] : table) BOOST_TEST(stored(rule, given) == result);
}

BOOST_AUTO_TEST_CASE(a_key_is_pasted_without_what_stood_around_it) {
    const std::pair<const char*, std::vector<const char*>> refused[] = {
        {"a link",
         {"https://platform.example.org/api-keys", "HTTP://a.example/sk-1", "www.a.example",
          "console.example.org/settings/keys", "Example.ORG/"}},
        {"only a placeholder",
         {"<your-key>", "${OPENAI_API_KEY}", "$OPENAI_API_KEY", "{{KEY}}", "%KEY%", "[key]",
          "YOUR_API_KEY", "your-api-key-here", "sk-your-key-1", "ANTHROPIC_AUTH_TOKEN", "api_key",
          "HF_TOKEN=", "process.env.GROQ_KEY", "os.environ['MISTRAL_API_KEY']", "apiKey",
          "System.getenv(\"A_KEY\")", "paste-it-here", "OPENAI_API_KEY: "}},
        {"hidden by dots",
         {"sk-...abcd", "sk-\u2026abcd", "sk-***", "sk-ab\u2022\u2022\u2022cd", "\"sk-...abcd\"",
          "sk-ab**yz", "sk-xxx", "sk-____", "sk-xxxxxxxx", "XXXX-XXXX", "sk-ab\u25cf9"}},
        {"without the word",
         {"OPENAI_API_KEY=sk-1", "MISTRAL = sk-1", "export KEY=\"sk-1\"", "x-api-key: sk-1",
          "Authorization: Bearer sk-1", "Bearer sk-1", "apiKey=sk-1", "api_key:sk-1",
          "$env:OPENAI_API_KEY=sk-1", R"(os.environ["A_KEY"]="sk-1")", "config.apiKey=sk-1",
          "process.env.A_TOKEN=sk-1;", "--api-key=sk-1", R"({"api_key": "sk-1"})",
          "client=OpenAI(api_key='sk-1')", R"("OPENAI_API_KEY": "sk-1")"}},
        {"quotation",
         {"\"sk-1\"", "'sk-1'", "`sk-1`", "\u201csk-1\u201d", "\u00absk-1\u00bb", "\"sk-1",
          "sk-1\",", "sk-1;", "sk-1,", "sk-1.", "=sk-1", "(sk-1)", "sk-1)", "sk-1\\n", "sk-1\\r\\n",
          "sk-1}", "sk-1>", "{sk-1", "OpenAI(\"sk-1\").x"}},
    };
    for (const auto& [said, texts] : refused)
        for (const char* const text : texts) {
            const std::string error = rules::error_in(rules::api_key, text).english();
            BOOST_TEST((has(error, said) && !has(error, "sk-")), text << ": " << error);
        }
    for (const char* const good : {"sk-abc_DEF-123.x",
                                   "YWJjZA==",
                                   "AbCdEf=",
                                   "0f8fad5b-d9cb-469f-a165-70867728950e:9c4e",
                                   "sk-it's~a*b*c..d",
                                   "a=b",
                                   "key-0123456789",
                                   "gsk_a=b",
                                   "$sk.1",
                                   "eyJh.eyJz.c-_A",
                                   "abc.def.ghi",
                                   "a.b+c/d=",
                                   "fw_3Z|abc:def",
                                   "token-abc123",
                                   "my-api-key",
                                   "not-needed",
                                   "lm-studio",
                                   "secret!",
                                   "skYourx1ab",
                                   "APIKEY0123==",
                                   "a1-_",
                                   "there1"})
        BOOST_TEST(rules::error_in(rules::api_key, good).empty(), good);
    BOOST_TEST(trimmed_paste("\ufeff sk-1\u200b\n") == "sk-1");
    BOOST_TEST(trimmed_paste(" \ufeff") == "");
}

// Which controls there are: text_test.cpp, and tests/rules for the database.
BOOST_AUTO_TEST_CASE(lines_may_be_broken_and_a_line_may_not) {
    for (const auto* line : {&rules::provider_name, &rules::display_name, &rules::model_id,
                             &rules::model_name, &rules::api_key})
        for (const char* const text : {"a\nb", "a\x1b"})
            BOOST_TEST(!rules::error_in(*line, text).empty());
    for (const auto* lines : {&rules::message, &rules::system_prompt, &rules::history_content}) {
        BOOST_TEST(rules::error_in(*lines, "a\nb").empty());
        BOOST_TEST(!rules::error_in(*lines, "a\x1b").empty());
    }
}

BOOST_AUTO_TEST_CASE(numbers_keep_to_their_bounds) {
    for (const std::int64_t good : {0, 1, 999, 1000})
        BOOST_TEST(rules::read(rules::priority, good) == good);
    for (const std::int64_t wrong :
         {std::int64_t{-1}, std::int64_t{1001}, std::int64_t{1} << 32U,
          std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()})
        BOOST_TEST(outcome_of([&] { rules::read(rules::priority, wrong); }) ==
                   "invalid_field priority");
    BOOST_TEST(rules::read(rules::temperature, 1.5) == 1.5);
    for (const double wrong : {-0.01, 2.01, std::nan(""), HUGE_VAL})
        BOOST_TEST(outcome_of([&] { rules::read(rules::temperature, wrong); }) ==
                   "invalid_field temperature");
    BOOST_TEST((unavailable("Busy."_en, std::chrono::seconds{0}).retry_after() ==
                std::chrono::seconds{1}));
}

BOOST_AUTO_TEST_CASE(a_word_is_one_of_the_list_to_the_letter) {
    BOOST_TEST(rules::read(rules::status, "inactive") == 1U);
    BOOST_TEST(outcome_of([] { rules::read(rules::status, std::nullopt); }) ==
               "missing_field status");
    for (const char* const wrong : {"", "Active", " active", "enabled", "1"})
        BOOST_TEST(outcome_of([&] { rules::read(rules::status, wrong); }) ==
                   "invalid_field status");
}

BOOST_AUTO_TEST_CASE(every_constant_of_the_header_is_shared) {
    std::set<std::string> shared;
    for (const auto& row : rules::shared_rules().numbers) shared.insert(row.first);
    for (const auto& row : rules::shared_rules().words) shared.insert(row.first);
    const std::set<std::string> not_a_rule{"kib", "default_capabilities"};
    std::ifstream file{std::string{USERSHELL_SOURCE_DIR} + "/lib/domain/rules.hpp"};
    const std::string header{std::istreambuf_iterator<char>{file}, {}};
    static const std::regex constant{R"(\ninline constexpr (\S+) (\w+)[{ ])"};
    std::size_t found = 0;
    for (std::sregex_iterator row{header.begin(), header.end(), constant}, end; row != end; ++row) {
        const std::string kind = (*row)[1];
        const std::string name = (*row)[2];
        if (not_a_rule.contains(name) || kind == "std::string_view") continue;
        const bool bounds = kind == "TextRule" || kind == "NumberRule";
        BOOST_TEST(shared.contains(bounds ? "max_" + name : name), name);
        ++found;
    }
    BOOST_TEST(found > 40U);
}

void check(std::string_view text, std::string_view shown, std::string_view normalized,
           std::string_view deliverable) {
    BOOST_TEST_CONTEXT(text) {
        const auto address = parse_email(text);
        BOOST_TEST_REQUIRE(address.has_value());
        BOOST_TEST(address->shown == shown);
        BOOST_TEST(address->normalized == normalized);
        BOOST_TEST(address->deliverable == deliverable);
    }
}

BOOST_AUTO_TEST_CASE(good_addresses_and_their_forms) {
    const std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>
        table[] = {
            {" ada@example.org\n", "ada@example.org", "ada@example.org", "ada@example.org"},
            {"Ada.L@Example.ORG", "Ada.L@Example.ORG", "ada.l@example.org", "Ada.L@example.org"},
            {"ada@BÜCHER.example", "ada@BÜCHER.example", "ada@xn--bcher-kva.example",
             "ada@xn--bcher-kva.example"},
            {"Straße@example.org", "Straße@example.org", "strasse@example.org",
             "Straße@example.org"},
            {"E\xcc\x81mile@example.org", "Émile@example.org", "émile@example.org",
             "Émile@example.org"},
            {"ada@ｅxample。org", "ada@ｅxample。org", "ada@example.org", "ada@example.org"},
        };
    for (const auto& [text, shown, normalized, deliverable] : table)
        check(text, shown, normalized, deliverable);
    for (const auto text :
         {"ada@example.org", "a+tag@mail.example.org", "!#$%&'*+-/=?^_`{|}~@example.org",
          "ada@xn--bcher-kva.example", "a@b.co", "a@1.2.example"})
        check(text, text, text, text);
}

BOOST_AUTO_TEST_CASE(what_is_no_address) {
    const std::string_view table[] = {
        "", "ada", "@example.org", "ada@", "ada@b@example.org",
        // domains
        "ada@localhost", "ada@example.org.", "ada@example..org", "ada@-example.org",
        "ada@exa_mple.org", "ada@[192.0.2.1]", "ada@192.0.2.1", "ada@0x7f.0x1", "ada@xn--a.example",
        "ada@a℀b.example", // maps to a slash
        // local parts
        ".ada@example.org", "a..da@example.org", "a da@example.org", "\"ada\"@example.org",
        "ada,bob@example.org", "Ada <ada@example.org>", "\xf0\x9f\x98\x80@example.org",
        // invisible characters and malformed bytes
        "ada@example.org\r\nBcc: x@y.org", "ada\x7f@example.org", "a\u202eda\u202c@example.org",
        "a\u200bda@example.org", "\xff@example.org", std::string_view{"a\0da@example.org", 16}};
    for (const auto text : table)
        BOOST_TEST_CONTEXT(text) BOOST_TEST(!parse_email(text).has_value());
}

BOOST_AUTO_TEST_CASE(lengths_are_bounded) {
    const auto with_local = [](std::size_t n) { return std::string(n, 'a') + "@example.org"; };
    BOOST_TEST(parse_email(with_local(64)).has_value());
    BOOST_TEST(!parse_email(with_local(65)).has_value());
    const std::string label(62, 'b');
    const std::string domain = label + "." + label + "." + label + ".";
    const auto whole = [&](std::size_t size) { // 2 + 189 + the rest
        return "a@" + domain + std::string(size - 191, 'c');
    };
    BOOST_TEST(whole(254).size() == 254U);
    BOOST_TEST(parse_email(whole(254)).has_value());
    BOOST_TEST(!parse_email(whole(255)).has_value());
    std::string grows = std::string(64, 'a') + "@"; // 254 bytes at most as typed, more in ASCII
    for (int i = 0; i < 16; ++i) grows += "üüüüü.";
    grows += "example";
    BOOST_TEST_REQUIRE(grows.size() <= 254U);
    BOOST_TEST(!parse_email(grows).has_value());
}
} // namespace

BOOST_AUTO_TEST_CASE(which_headers_a_person_may_give_a_provider) {
    for (const std::string& good :
         {"x-tenant"s, "cf-access-client-id"s, "openai-organization"s, "http-referer"s,
          "user-agent"s, "a"s, "x-1"s, "anthropic-beta"s, "x-portkey-provider"s, "contents"s,
          "x-real-ipx"s, "iffy"s, "proxy"s, std::string(64, 'a')})
        BOOST_TEST(is_own_header(good, false), good);
    for (const std::string& wrong :
         {""s, "-x"s, "1x"s, "X-Tenant"s, "x_api_key"s, "x.api.key"s, "x tenant"s, "x:y"s,
          "x\r\nhost"s, "x\0y"s, "h\u00f6st"s, "x;"s, ":authority"s, std::string(65, 'a')})
        BOOST_TEST(!is_own_header(wrong, true), wrong);
    for (const std::string& refused : {"host"s,
                                       "content-length"s,
                                       "content-type"s,
                                       "content-encoding"s,
                                       "proxy-authorization"s,
                                       "proxy-connection"s,
                                       "te"s,
                                       "trailer"s,
                                       "transfer-encoding"s,
                                       "connection"s,
                                       "upgrade"s,
                                       "keep-alive"s,
                                       "expect"s,
                                       "authorization"s,
                                       "x-api-key"s,
                                       "accept-encoding"s,
                                       "if-none-match"s,
                                       "range"s,
                                       "x-forwarded-for"s,
                                       "x-http-method-override"s,
                                       "cookie2"s,
                                       "helicone-target-url"s,
                                       "x-portkey-custom-host"s})
        BOOST_TEST(!is_own_header(refused, true), refused);
}

BOOST_AUTO_TEST_CASE(no_row_of_the_list_is_a_good_name) {
    for (const std::string_view row : rules::words::refused_headers) {
        std::string name{row};
        if (name.ends_with('*')) name.back() = 'x';
        BOOST_TEST(!is_own_header(name, true), name);
        BOOST_TEST(name == lower_ascii(name));
    }
}

BOOST_AUTO_TEST_CASE(a_cookie_is_the_operators_to_permit) {
    BOOST_TEST(is_own_header("cookie", true));
    BOOST_TEST(!is_own_header("cookie", false));
}

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
        {"A password needs letters, not only digits and symbols.",
         {"123456789012", "2024-01-02 !?"}},
        {"A password can’t be your own address.",
         {"ada.l@example.org", "ADA.L@EXAMPLE.ORG99", "ada_l_18151852"}},
        {"A password can’t be your own name.",
         {"Ada K\xc3\x96NIG Lovelace", "adak\xc3\xb6niglovelace!", "!!Lovelace1815",
          "k\xc3\xb6nig-k\xc3\xb6nig!", "ko\u0308nig-ko\u0308nig!"}},
        {"A password can’t be the name of this service.",
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
