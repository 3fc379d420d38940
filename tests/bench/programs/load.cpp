// The load client of `./dev bench`: what it is asked to do stands on its command line, what came of
// it goes to its output as JSON.
#include "load_options.hpp"
#include "load_run.hpp"

#include <csignal>
#include <exception>
#include <iostream>

int main(int count, char** words) {
    (void)std::signal(SIGPIPE, SIG_IGN);
    try {
        const auto options = usershell::bench::read_options(count, words);
        std::cout << usershell::bench::LoadRun{options}.run().json() << '\n';
    } catch (const std::exception& error) {
        std::cerr << "bench_load: " << error.what() << '\n';
        return 1;
    }
}
