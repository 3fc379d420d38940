// Runs every file of every corpus once, as a test: fuzz_replay CORPUS. Says which file it is at, so
// that the last line before an abort names the fault.
#include "target.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

int main(int argc, char** argv) {
    using namespace usershell::fuzz;
    namespace fs = std::filesystem;
    const fs::path corpus{argc > 1 ? argv[1] : "corpus"};
    for (const Target* target : targets()) {
        std::size_t files = 0;
        for (const auto& file : fs::directory_iterator{corpus / target->name}) {
            std::cout << file.path().string() << std::endl; // flushed: an abort may follow
            std::ifstream stream{file.path(), std::ios::binary};
            check(*target, std::string{std::istreambuf_iterator<char>{stream}, {}}, true);
            ++files;
        }
        if (files == 0) fail("a target has a corpus");
    }
    return 0;
}
