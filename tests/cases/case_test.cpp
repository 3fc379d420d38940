// Every *.case file of this folder as a test case of the suite "cases".
#include "case_file.hpp"
#include "crypto/secret.hpp"
#include "script.hpp"
#include "service.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace usershell::test {

namespace {

const std::filesystem::path folder{USERSHELL_SOURCE_DIR "/tests/cases"};

CaseFile read_file(const std::filesystem::path& path) {
    std::ifstream file{path};
    return parse_case_file(path.filename().string(),
                           std::string{std::istreambuf_iterator<char>{file}, {}});
}

/// Made at first use, taken down with the program's tests.
struct SharedGround {
    SharedGround() { crypto::start_crypto(); }
    ~SharedGround() { ground.reset(); }
    static Ground& get() {
        if (!ground) ground = std::make_unique<Ground>();
        return *ground;
    }
    inline static std::unique_ptr<Ground> ground;
};

void run_file(const std::filesystem::path& path) {
    const CaseFile file = read_file(path);
    Service service{SharedGround::get(), file.settings};
    for (const Case& each : file.cases) {
        BOOST_TEST_CHECKPOINT(each.title);
        try {
            Script{service}.run(each);
        } catch (const CaseFailure& failure) {
            BOOST_ERROR(each.title << "\n  " << failure.what());
        }
    }
}

std::vector<std::filesystem::path> case_files() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator{folder}) {
        if (entry.path().extension() == ".case") files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

/// Registers the files before main() runs, as BOOST_AUTO_TEST_CASE does.
struct Registration {
    Registration() {
        namespace framework = boost::unit_test::framework;
        auto* const suite = BOOST_TEST_SUITE("cases");
        for (const auto& path : case_files()) {
            const std::string name = path.string();
            suite->add(boost::unit_test::make_test_case([path] { run_file(path); },
                                                        path.stem().string(), name, 1));
        }
        framework::current_auto_test_suite().add(suite);
    }
};

const Registration registration;

} // namespace

BOOST_TEST_GLOBAL_FIXTURE(SharedGround);

/// Against the real service, too, a wrong case is seen to be wrong.
BOOST_AUTO_TEST_CASE(a_wrong_case_fails) {
    Service service{SharedGround::get(), {}};
    const auto fails = [&](const std::string& expected) {
        const CaseFile file =
            parse_case_file("wrong.case", "--- wrong\nas alice\ngiven provider p\n"
                                          "GET /user/providers/list\n" +
                                              expected);
        BOOST_CHECK_THROW(Script{service}.run(file.cases.front()), CaseFailure);
    };
    fails("=> 404 not_found");
    fails("=> 200\n{\"providers\": []}");
    fails("=> 200\n{\"providers\": [{\"id\": \"${p}\"}]}");
    fails("=> 200\n< Cache-Control: public");
    fails("=> 200\nlacks ${p}");
}

} // namespace usershell::test
