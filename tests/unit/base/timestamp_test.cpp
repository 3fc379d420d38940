#include "base/timestamp.hpp"
#include "tests/unit/test.hpp"
namespace usershell {
BOOST_AUTO_TEST_CASE(moments_are_written_as_rfc_3339_in_utc) {
    const std::pair<long long, const char*> table[] = {
        {0, "1970-01-01T00:00:00.000Z"},
        {1'767'323'045'678'901, "2026-01-02T03:04:05.678Z"},
        {1'709'251'199'999'999, "2024-02-29T23:59:59.999Z"},
        {-1, "1969-12-31T23:59:59.999Z"},
    };
    for (const auto& [microseconds, text] : table) {
        const Timestamp moment{std::chrono::microseconds{microseconds}};
        BOOST_TEST(rfc3339(moment) == text);
        BOOST_TEST(rfc3339_seconds(moment) == std::string{text}.substr(0, 19) + "Z");
    }
}
} // namespace usershell
