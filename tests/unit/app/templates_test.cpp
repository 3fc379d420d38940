#include "app/pages/templates.hpp"

#include "app/pages/load.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <set>
#include <string>

using namespace usershell;
using namespace usershell::app;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(templates)

/// So that Pages, which is told these names, misses none at the start and none lies there unused.
BOOST_AUTO_TEST_CASE(every_file_is_named_and_every_name_has_its_file) {
    const fs::path folder = fs::path{USERSHELL_SOURCE_DIR} / "templates";
    std::set<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator{folder})
        if (entry.path().extension() == ".tpl")
            files.insert(entry.path().lexically_relative(folder).replace_extension().string());
    files.erase("layout");
    files.erase("provider_types"); // a part of another
    const auto names = template_names();
    BOOST_TEST((std::set<std::string>{names.begin(), names.end()} == files));
    BOOST_CHECK_NO_THROW(load_pages(folder));
}

BOOST_AUTO_TEST_CASE(names_follow_the_enumerations) {
    BOOST_TEST(template_of(Page::error) == "error");
    BOOST_TEST(template_of(Page::providers) == "providers");
    BOOST_TEST(template_of(Mail::invitation).text() == "mail/invitation.text");
    BOOST_TEST(template_of(Mail::confirm_email).html() == "mail/confirm_email.html");
}

BOOST_AUTO_TEST_SUITE_END()
