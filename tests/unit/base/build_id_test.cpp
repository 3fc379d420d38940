#include "runtime/process.hpp"
#include "tests/unit/test.hpp"

BOOST_AUTO_TEST_CASE(it_is_the_note_in_the_program_file) {
    const std::string& id = usershell::build_id();
    BOOST_TEST(id.size() == 40);
    std::ifstream file{"/proc/self/exe", std::ios::binary};
    const std::string program{std::istreambuf_iterator<char>{file}, {}};
    // Size of the name, size of the id, type 3, name; then the id.
    const std::string note{"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0", 16};
    const auto at = program.find(note);
    BOOST_REQUIRE(at != std::string::npos);
    BOOST_TEST(usershell::hex(program.substr(at + note.size(), 20)) == id);
}
