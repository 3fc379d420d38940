// Counts in Prometheus's format, for all processes of a folder together.
#include "metrics/registry.hpp"
#include "tests/unit/test.hpp"
#include <list>
using namespace usershell::metrics;
using std::chrono::milliseconds;
using usershell::Error;
using usershell::test::TemporaryFolder;
namespace {
enum : std::size_t { asked, took, open_now };
std::vector<Family> families() {
    return {{.name = "asked_total",
             .help = "Asked.",
             .kind = Kind::counter,
             .labels = {{"who", {"a", "say \"b\\\n\""}}, {"how", {"x", "y"}}}},
            {.name = "took_seconds", .help = "Took.", .kind = Kind::histogram},
            {.name = "open", .help = "Open.", .kind = Kind::gauge}};
}
auto says(const std::string& words) {
    return [words](const Error& error) { return usershell::has(error.what(), words); };
}
bool tells(const Registry& registry, const std::string& line) {
    return ("\n" + registry.text()).find("\n" + line + "\n") != std::string::npos;
}

BOOST_AUTO_TEST_CASE(the_format) {
    Registry registry{"", "test", families()};
    registry.count(asked, {0, 1});
    registry.count(asked, {1, 0}, 41);
    registry.count(asked, {1, 0});
    registry.observe(took, {}, milliseconds{5});
    registry.observe(took, {}, milliseconds{2600});
    registry.observe(took, {}, std::chrono::hours{1});
    registry.set(open_now, -3);
    std::string buckets;
    const std::pair<const char*, const char*> below[] = {
        {"1", "0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5"}, {"2", "5 10 30 60 300"}, {"3", "+Inf"}};
    for (const auto& [count, bounds] : below)
        for_each_piece(bounds, ' ', [&, &n = count](std::string_view bound) {
            buckets += "took_seconds_bucket{le=\"" + std::string{bound} + "\"} " + n + "\n";
        });
    BOOST_TEST(registry.text() == R"(# HELP asked_total Asked.
# TYPE asked_total counter
asked_total{who="a",how="y"} 1
asked_total{who="say \"b\\\n\"",how="x"} 42
# HELP took_seconds Took.
# TYPE took_seconds histogram
)" + buckets + R"(took_seconds_sum 3602.605000
took_seconds_count 3
# HELP open Open.
# TYPE open gauge
open -3
)");
}

BOOST_AUTO_TEST_CASE(unknown_indexes_and_folders_are_refused) {
    Registry registry{"", "test", families()};
    BOOST_CHECK_THROW(registry.count(asked, {2, 0}), Error);
    BOOST_CHECK_THROW(registry.count(asked, {0}), Error);
    BOOST_CHECK_THROW(registry.count(9, {}), Error);
    BOOST_CHECK_EXCEPTION(Registry("/nowhere", "test", families()), Error,
                          says("metrics in /nowhere/test."));
}

BOOST_AUTO_TEST_CASE(processes_count_together_and_a_killed_one_keeps_its_counts_but_no_gauge) {
    const TemporaryFolder folder;
    Registry here{folder.path(), "test", families()};
    here.count(asked, {0, 0});
    here.set(open_now, 2);
    int ready[2];
    BOOST_REQUIRE(::pipe(ready) == 0);
    const pid_t other = ::fork();
    if (other == 0) {
        Registry there{folder.path(), "test", families()};
        there.count(asked, {0, 0});
        there.set(open_now, 5);
        if (::write(ready[1], "x", 1) != 1) ::_exit(1);
        for (;;) ::pause();
    }
    char byte = 0;
    BOOST_REQUIRE(::read(ready[0], &byte, 1) == 1);
    BOOST_TEST(tells(here, R"(asked_total{who="a",how="x"} 2)"));
    BOOST_TEST(tells(here, "open 7"));
    ::kill(other, SIGKILL);
    ::waitpid(other, nullptr, 0);
    BOOST_TEST(tells(here, R"(asked_total{who="a",how="x"} 2)"));
    BOOST_TEST(tells(here, "open 2"));
    const Registry next{folder.path(), "test", families()};
    BOOST_TEST(tells(next, R"(asked_total{who="a",how="x"} 2)"));
    BOOST_TEST(tells(next, "open 2"));
    for (const int end : ready) ::close(end);
}

BOOST_AUTO_TEST_CASE(one_process_too_many_is_refused) {
    const TemporaryFolder folder;
    std::list<SharedCells> processes;
    for (std::size_t i = 0; i < SharedCells::max_processes; ++i)
        processes.emplace_back(folder.path() / "cells", 1, 1);
    BOOST_CHECK_EXCEPTION(SharedCells(folder.path() / "cells", 1, 1), Error,
                          says("too many processes have it"));
    processes.pop_front();
    const SharedCells room{folder.path() / "cells", 1, 1};
}

BOOST_AUTO_TEST_CASE(other_families_have_a_file_of_their_own) {
    const TemporaryFolder folder;
    const Registry one{folder.path(), "test", families()};
    auto longer = families();
    longer.front().labels.front().values.emplace_back("c");
    const Registry two{folder.path(), "test", longer};
    const std::filesystem::directory_iterator files{folder.path()};
    BOOST_TEST(std::distance(begin(files), end(files)) == 2);
}
} // namespace
