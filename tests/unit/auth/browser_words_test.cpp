#include "auth/browser_words.hpp"
#include "tests/unit/test.hpp"
using namespace usershell::auth;
BOOST_AUTO_TEST_CASE(is_told_in_words_of_ours) {
    const std::string mozilla = "Mozilla/5.0 ";
    const std::string webkit = "AppleWebKit/537.36 (KHTML, like Gecko) ";
    const std::pair<std::string, std::string> table[] = {
        {mozilla + "(X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
         "Firefox on Linux"},
        {mozilla + "(Windows NT 10.0; Win64; x64) " + webkit + "Chrome/126.0.0.0 Safari/537.36",
         "Chrome on Windows"},
        {mozilla + "(Windows NT 10.0; Win64; x64) " + webkit +
             "Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0",
         "Edge on Windows"},
        {mozilla + "(Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                   "Version/17.5 Safari/605.1.15",
         "Safari on macOS"},
        {mozilla + "(iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like "
                   "Gecko) CriOS/126.0 Mobile/15E148 Safari/604.1",
         "Chrome on iPhone"},
        {mozilla + "(Linux; Android 14; Pixel 8) " + webkit +
             "SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36",
         "Samsung Internet on Android"},
        {mozilla + "(X11; CrOS x86_64 14541.0.0) " + webkit + "Chrome/126.0.0.0 Safari/537.36",
         "Chrome on ChromeOS"},
        {"curl/7.88.1", "curl"},
        {"", "An unknown browser"},
        {"<script>alert(1)</script>", "An unknown browser"},
        {"<b>Linux</b>\n", "An unknown browser on Linux"},
        {std::string(10000, 'x'), "An unknown browser"},
    };
    for (const auto& [user_agent, words] : table)
        BOOST_TEST(browser_words(user_agent).english() == words);
}
