#include "pages/templates.hpp"
#include "tests/unit/test.hpp"
using namespace usershell::pages;
namespace fs = std::filesystem;
/// Pages loads these names at the start, so a missing file ends it and no file is unused.
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
