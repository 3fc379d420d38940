// Includes flow downhill: reads every #include of fcgi/, mail/, ctl/ and lib/ and holds it against
// the house's rules. The check takes the root as a parameter, so that the same test shows it
// failing on a tree made to fail.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace fs = std::filesystem;

namespace {

/// A part of the house and the other parts that its files may include. Its own it may always.
struct Part {
    std::string name;
    std::set<std::string> may_include;
};

// Both programs meet in fcgi/: worker.* serves either, each main only its own program.
const std::vector<Part> parts = {
    {"lib/base", {}},
    {"lib/crypto", {"lib/base"}},
    {"lib/crypto/opening", {"lib/base", "lib/crypto"}},
    {"lib/crypto/unseal", {"lib/base", "lib/crypto", "lib/crypto/opening"}},
    {"lib/metrics", {"lib/base"}},
    {"lib/web", {"lib/base"}},
    {"lib/net", {"lib/base"}},
    {"lib/store", {"lib/base", "lib/crypto"}},
    {"lib/adapters", {"lib/base", "lib/net"}},
    {"lib/images", {"lib/base"}},
    {"lib/app", {"lib/base", "lib/metrics", "lib/web", "lib/crypto", "lib/store"}},
    {"lib/manage",
     {"lib/base", "lib/metrics", "lib/web", "lib/crypto", "lib/images", "lib/store", "lib/app"}},
    {"lib/execute",
     {"lib/base", "lib/metrics", "lib/web", "lib/crypto", "lib/crypto/opening", "lib/crypto/unseal",
      "lib/store", "lib/net", "lib/adapters", "lib/app"}},
    {"lib/mail",
     {"lib/base", "lib/metrics", "lib/crypto", "lib/crypto/opening", "lib/net", "lib/store"}},
    {"fcgi", {"lib/base", "lib/web"}},
    {"fcgi/manage",
     {"fcgi", "lib/base", "lib/web", "lib/crypto", "lib/store", "lib/app", "lib/manage"}},
    {"fcgi/execute",
     {"fcgi", "lib/base", "lib/web", "lib/crypto", "lib/crypto/unseal", "lib/store", "lib/net",
      "lib/app", "lib/execute"}},
    {"mail", {"lib/base", "lib/metrics", "lib/app", "lib/mail"}},
    {"ctl", {"lib/base", "lib/crypto", "lib/crypto/opening", "lib/store", "lib/web", "lib/app"}},
};

/// An outside library: how its headers begin, and the beginning of the paths of the files that own
/// it.
struct Library {
    std::string header;
    std::string owner;
};

const std::vector<Library> libraries = {
    {"fcgiapp.h", "fcgi/"},        {"fcgi_stdio.h", "fcgi/"},
    {"fcgio.h", "fcgi/"},          {"fcgios.h", "fcgi/"},
    {"pqxx/", "lib/store/"},       {"libpq", "lib/store/"},
    {"postgresql/", "lib/store/"}, {"curl/", "lib/net/"},
    {"sodium", "lib/crypto/"},     {"ctemplate/", "lib/web/pages."},
};

/// "lib/crypto" of lib/crypto/ring.cpp: the longest part that holds the path; nothing for an
/// unknown one.
const Part* part_of(const std::string& path) {
    const Part* found = nullptr;
    for (const auto& part : parts) {
        const bool holds = path.starts_with(part.name + "/") || path.starts_with(part.name + ".");
        if (holds && (!found || found->name.size() < part.name.size())) found = &part;
    }
    return found;
}

/// The file of this tree that the compiler would take, as a path from the root.
std::optional<std::string> resolve(const fs::path& root, const fs::path& from,
                                   const std::string& header) {
    for (const fs::path& folder : {(root / from).parent_path(), root / "lib", root}) {
        const fs::path candidate = (folder / header).lexically_normal();
        if (fs::is_regular_file(candidate)) return candidate.lexically_relative(root).string();
    }
    return std::nullopt;
}

/// What is wrong with one #include; empty when nothing is.
std::string judge(const fs::path& root, const std::string& file, const std::string& header,
                  bool quoted) {
    if (const auto target = resolve(root, file, header)) {
        const Part* const from = part_of(file);
        const Part* const to = part_of(*target);
        if (!to) return "includes " + header + ", which is in no part of the house";
        if (from == to || from->may_include.contains(to->name)) return {};
        return from->name + " may not include " + to->name + " (" + header + ")";
    }
    if (quoted) return "includes \"" + header + "\", which is not in this tree";
    for (const auto& library : libraries)
        if (header.starts_with(library.header) && !file.starts_with(library.owner))
            return "only " + library.owner + "* may include <" + header + ">";
    return {};
}

bool is_source(const fs::path& path) {
    static const std::set<std::string> endings{".cpp", ".hpp", ".cc", ".h", ".ipp"};
    return endings.contains(path.extension().string());
}

struct HealthReport {
    std::size_t files = 0;
    std::size_t includes = 0;
    std::vector<std::string> violations;
};

void read_includes(const fs::path& root, const std::string& file, HealthReport& report) {
    static const std::regex directive{R"(^\s*#\s*include\b\s*(.*)$)"};
    static const std::regex named{R"(^(["<])([^">]+)[">].*$)"};
    std::ifstream text{root / file};
    std::string line;
    for (int number = 1; std::getline(text, line); ++number) {
        std::smatch rest;
        std::smatch name;
        if (!std::regex_match(line, rest, directive)) continue;
        ++report.includes;
        const std::string argument = rest[1];
        const std::string wrong = std::regex_match(argument, name, named)
                                      ? judge(root, file, name[2], name[1] == "\"")
                                      : "includes something that has no name";
        if (wrong.empty()) continue;
        auto& violation = report.violations.emplace_back(file);
        violation.append(", line ").append(std::to_string(number)).append(": ").append(wrong);
    }
}

HealthReport check_layers(const fs::path& root) {
    HealthReport report;
    for (const fs::path top : {"fcgi", "mail", "ctl", "lib"}) {
        if (!fs::exists(root / top)) continue;
        for (const auto& entry : fs::recursive_directory_iterator{root / top}) {
            if (!entry.is_regular_file() || !is_source(entry.path())) continue;
            const std::string file = entry.path().lexically_relative(root).string();
            ++report.files;
            if (part_of(file))
                read_includes(root, file, report);
            else
                report.violations.push_back(file + ": no rule says what this folder may include");
        }
    }
    std::ranges::sort(report.violations);
    return report;
}

/// A source tree of a few files, gone at its end.
class Tree {
public:
    explicit Tree(const std::map<std::string, std::string>& files) {
        std::string pattern = (fs::temp_directory_path() / "usershell-XXXXXX").string();
        BOOST_TEST_REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        root_ = pattern;
        for (const auto& [name, content] : files) {
            fs::create_directories((root_ / name).parent_path());
            std::ofstream{root_ / name} << content;
        }
    }
    ~Tree() {
        std::error_code ignored;
        fs::remove_all(root_, ignored);
    }
    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;

    const fs::path& root() const { return root_; }

private:
    fs::path root_;
};

/// Empty headers that the made-up files below may point at.
std::map<std::string, std::string> headers() {
    std::map<std::string, std::string> files;
    for (const char* const name :
         {"lib/base/text.hpp", "lib/crypto/envelope/key_sealer.hpp",
          "lib/crypto/opening/envelope_opener.hpp", "lib/crypto/unseal/unseal.hpp",
          "lib/web/pages.hpp", "lib/net/http_client.hpp", "lib/store/database.hpp",
          "lib/adapters/calls.hpp", "lib/app/dispatch.hpp", "lib/manage/routes.hpp",
          "lib/execute/routes.hpp", "lib/mail/sender.hpp", "fcgi/worker.hpp", "ctl/commands.hpp"})
        files[name] = "";
    return files;
}

std::vector<std::string> violations_of(const std::string& file, const std::string& content) {
    auto files = headers();
    files[file] = content;
    const Tree tree{files};
    return check_layers(tree.root()).violations;
}

} // namespace

BOOST_AUTO_TEST_SUITE(layers)

BOOST_AUTO_TEST_CASE(this_tree_keeps_the_rules) {
    const HealthReport report = check_layers(USERSHELL_SOURCE_DIR);
    for (const auto& violation : report.violations) BOOST_ERROR(violation);
    BOOST_TEST(report.files > 10U);
    BOOST_TEST(report.includes > report.files);
}

BOOST_AUTO_TEST_CASE(a_forbidden_include_is_found) {
    const struct {
        std::string file;
        std::string line;
        std::string says;
    } table[] = {
        {"lib/base/x.cpp", "#include \"web/pages.hpp\"",
         "lib/base/x.cpp, line 2: lib/base may not include lib/web (web/pages.hpp)"},
        {"lib/base/x.cpp", "#include <web/pages.hpp>",
         "lib/base/x.cpp, line 2: lib/base may not include lib/web (web/pages.hpp)"},
        {"lib/base/x.cpp", "  #  include   \"lib/web/pages.hpp\" // why not",
         "lib/base/x.cpp, line 2: lib/base may not include lib/web (lib/web/pages.hpp)"},
        {"lib/crypto/x.hpp", "#include \"../store/database.hpp\"",
         "lib/crypto/x.hpp, line 2: lib/crypto may not include lib/store (../store/database.hpp)"},
        {"lib/crypto/x.cpp", "#include \"unseal/unseal.hpp\"",
         "lib/crypto/x.cpp, line 2: lib/crypto may not include lib/crypto/unseal "
         "(unseal/unseal.hpp)"},
        {"lib/manage/x.cpp", "#include \"crypto/unseal/unseal.hpp\"",
         "lib/manage/x.cpp, line 2: lib/manage may not include lib/crypto/unseal "
         "(crypto/unseal/unseal.hpp)"},
        {"lib/manage/x.cpp", "#include \"crypto/opening/envelope_opener.hpp\"",
         "lib/manage/x.cpp, line 2: lib/manage may not include lib/crypto/opening "
         "(crypto/opening/envelope_opener.hpp)"},
        {"lib/mail/x.cpp", "#include \"crypto/unseal/unseal.hpp\"",
         "lib/mail/x.cpp, line 2: lib/mail may not include lib/crypto/unseal "
         "(crypto/unseal/unseal.hpp)"},
        {"lib/execute/x.cpp", "#include \"mail/sender.hpp\"",
         "lib/execute/x.cpp, line 2: lib/execute may not include lib/mail (mail/sender.hpp)"},
        {"lib/manage/x.cpp", "#include \"net/http_client.hpp\"",
         "lib/manage/x.cpp, line 2: lib/manage may not include lib/net (net/http_client.hpp)"},
        {"lib/manage/x.cpp", "#include \"execute/routes.hpp\"",
         "lib/manage/x.cpp, line 2: lib/manage may not include lib/execute (execute/routes.hpp)"},
        {"lib/execute/x.cpp", "#include \"manage/routes.hpp\"",
         "lib/execute/x.cpp, line 2: lib/execute may not include lib/manage (manage/routes.hpp)"},
        {"lib/adapters/x.cpp", "#include \"store/database.hpp\"",
         "lib/adapters/x.cpp, line 2: lib/adapters may not include lib/store (store/database.hpp)"},
        {"lib/app/x.cpp", "#include \"fcgi/worker.hpp\"",
         "lib/app/x.cpp, line 2: lib/app may not include fcgi (fcgi/worker.hpp)"},
        {"fcgi/manage.cpp", "#include \"execute/routes.hpp\"",
         "fcgi/manage.cpp, line 2: fcgi/manage may not include lib/execute (execute/routes.hpp)"},
        {"fcgi/worker.cpp", "#include \"manage/routes.hpp\"",
         "fcgi/worker.cpp, line 2: fcgi may not include lib/manage (manage/routes.hpp)"},
        {"ctl/x.cpp", "#include \"manage/routes.hpp\"",
         "ctl/x.cpp, line 2: ctl may not include lib/manage (manage/routes.hpp)"},
        {"lib/app/x.cpp", "#include <fcgiapp.h>",
         "lib/app/x.cpp, line 2: only fcgi/* may include <fcgiapp.h>"},
        {"lib/app/x.cpp", "#include <pqxx/pqxx>",
         "lib/app/x.cpp, line 2: only lib/store/* may include <pqxx/pqxx>"},
        {"lib/execute/x.cpp", "#include <curl/curl.h>",
         "lib/execute/x.cpp, line 2: only lib/net/* may include <curl/curl.h>"},
        {"ctl/x.cpp", "#include <sodium.h>",
         "ctl/x.cpp, line 2: only lib/crypto/* may include <sodium.h>"},
        {"lib/web/body.cpp", "#include <ctemplate/template.h>",
         "lib/web/body.cpp, line 2: only lib/web/pages.* may include <ctemplate/template.h>"},
        {"lib/base/x.cpp", "#include \"nowhere.hpp\"",
         "lib/base/x.cpp, line 2: includes \"nowhere.hpp\", which is not in this tree"},
        {"lib/base/x.cpp", "#include HEADER",
         "lib/base/x.cpp, line 2: includes something that has no name"},
        {"lib/attic/x.cpp", "", "lib/attic/x.cpp: no rule says what this folder may include"},
    };
    for (const auto& row : table)
        BOOST_TEST(violations_of(row.file, "#pragma once\n" + row.line + "\n") ==
                       std::vector<std::string>{row.says},
                   boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_allowed_include_is_left_alone) {
    const struct {
        std::string file;
        std::string content;
    } table[] = {
        {"lib/base/x.cpp",
         "#include \"base/text.hpp\"\n#include \"text.hpp\"\n#include <string>\n"},
        {"lib/crypto/x.cpp", "#include \"base/text.hpp\"\n#include <sodium.h>\n"},
        {"lib/crypto/unseal/x.cpp",
         "#include \"crypto/opening/envelope_opener.hpp\"\n#include <sodium.h>\n"},
        {"lib/web/pages.cpp", "#include \"web/pages.hpp\"\n#include <ctemplate/template.h>\n"},
        {"lib/net/x.cpp", "#include <curl/curl.h>\n"},
        {"lib/store/x.cpp", "#include <pqxx/pqxx>\n#include \"crypto/envelope/key_sealer.hpp\"\n"},
        {"lib/manage/x.cpp", "#include \"app/dispatch.hpp\"\n#include \"web/pages.hpp\"\n"},
        {"lib/execute/x.cpp",
         "#include \"adapters/calls.hpp\"\n#include \"crypto/unseal/unseal.hpp\"\n"},
        {"fcgi/worker.cpp", "#include \"fcgi/worker.hpp\"\n#include <fcgiapp.h>\n"},
        {"fcgi/manage.cpp", "#include \"manage/routes.hpp\"\n#include \"fcgi/worker.hpp\"\n"},
        {"fcgi/execute.cpp", "#include \"execute/routes.hpp\"\n"},
        {"ctl/x.cpp", "#include \"store/database.hpp\"\n#include \"commands.hpp\"\n"},
        {"lib/base/x.cpp", "// #include \"web/pages.hpp\"\nauto s = \"#include <pqxx/pqxx>\";\n"},
        {"lib/base/notes.md", "#include \"web/pages.hpp\"\n"},
    };
    for (const auto& row : table) BOOST_TEST_CONTEXT(row.file << "\n" << row.content)
    BOOST_TEST(violations_of(row.file, row.content).empty());
}

BOOST_AUTO_TEST_CASE(no_part_is_included_from_above_and_below) {
    for (const auto& part : parts)
        for (const auto& other : parts) BOOST_TEST_CONTEXT(part.name << " and " << other.name)
    BOOST_TEST(!(part.may_include.contains(other.name) && other.may_include.contains(part.name)));
}

BOOST_AUTO_TEST_SUITE_END()
