// A file of keys in plain text, as usershellctl imports it.
#include "ctl/legacy/key_lines.hpp"
#include "rings.hpp"
#include "target.hpp"

namespace {

using namespace usershell;

void run(std::string_view input) {
    fuzz::rings(); // starts libsodium
    const fuzz::MemoryFile file{input};
    try {
        ctl::KeyFile{file.path()}.each([](const ctl::KeyLine& line) {
            fuzz::require(!line.key.empty() && !line.kind.empty() && !line.shown_email.empty(),
                          "a line has key, kind and address");
        });
    } catch (const Error& error) {
        fuzz::require(std::string_view{error.what()}.find("canary") == std::string_view::npos,
                      "no message repeats a line");
    }
}

const fuzz::Target target{"key_lines", run, std::size_t{64} * 1024, std::size_t{1024} * 1024};

} // namespace
