// Runs every input of the corpus once, as a test: fuzz_replay CORPUS. corpus.py has the form of the
// corpus. Says which input it is at, so that the last line before an abort names the fault.
#include "target.hpp"

#include <charconv>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>

namespace {

using namespace usershell::fuzz;

constexpr std::string_view indent = "    ";
constexpr std::string_view heading = "== ";

/// The byte of the escape that `text` begins with, and the length of the escape.
std::pair<char, std::size_t> escaped(std::string_view text) {
    if (text.starts_with("\\n")) return {'\n', 2};
    if (text.starts_with("\\r")) return {'\r', 2};
    if (text.starts_with("\\\\")) return {'\\', 2};
    unsigned char value = 0;
    require(text.size() >= 4 && text[1] == 'x' &&
                std::from_chars(&text[2], &text[2] + 2, value, 16).ptr == &text[2] + 2,
            "a corpus has known escapes");
    return {static_cast<char>(value), 4};
}

std::string decoded(std::string_view piece) {
    std::string bytes;
    while (!piece.empty()) {
        const auto [byte, length] =
            piece.front() == '\\' ? escaped(piece) : std::pair{piece.front(), std::size_t{1}};
        bytes += byte;
        piece.remove_prefix(length);
    }
    return bytes;
}

void replay(const Target& target, const std::string& name, const std::string& input) {
    std::cout << target.name << ' ' << name << ", " << input.size() << " bytes"
              << std::endl; // flushed: an abort may follow
    check(target, input, true);
}

/// The target's part of the corpus.
void replay_inputs(const Target& target, std::istream& corpus) {
    std::string line;
    while (std::getline(corpus, line) && line != std::string{heading}.append(target.name)) {
    }
    std::string name;
    std::string input;
    while (std::getline(corpus, line) && !line.starts_with(heading)) {
        if (line.starts_with(indent)) {
            input += decoded(std::string_view{line}.substr(indent.size()));
            continue;
        }
        if (!name.empty()) replay(target, name, input);
        name = std::exchange(line, {});
        input.clear();
    }
    if (name.empty()) fail("a target has a corpus");
    replay(target, name, input);
}

} // namespace

int main(int argc, char** argv) {
    for (const Target* target : targets()) {
        std::ifstream corpus{argc > 1 ? argv[1] : "corpus.txt", std::ios::binary};
        replay_inputs(*target, corpus);
    }
    return 0;
}
