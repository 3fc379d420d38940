#include "program/program.hpp"

#include "base/logging/log.hpp"
#include "base/logging/log_buffer.hpp"
#include "crypto/secret.hpp"
#include "runtime/process.hpp"

#include <exception>
#include <iostream>
#include <optional>

namespace usershell::program {

int run_program(Program program, int argc, char** argv,
                const std::function<int(const CommandLine&)>& run) {
    keep_little_memory();
    const std::string name{name_of(program)};
    CommandLine command_line;
    try {
        command_line = read_settings(program, argc, argv);
    } catch (const ConfigError& error) {
        std::cerr << name << ": " << error.what() << '\n';
        return 2;
    }
    if (command_line.help) {
        print_help(std::cout, program);
        return 0;
    }
    if (command_line.version) {
        std::cout << name << ' ' << USERSHELL_VERSION << '\n';
        return 0;
    }
    if (command_line.dump) {
        dump_settings(std::cout, program, command_line.settings);
        return 0;
    }
    try {
        block_signals();
        crypto::start_crypto();
        std::optional<LogBuffer> buffer;
        if (stderr_is_the_journal()) buffer.emplace(write_to_journal);
        return run(command_line);
    } catch (const std::exception& error) {
        log(Level::error, "start failed",
            {{"program", name},
             {"error", loggable(error)},
             {"remedy", std::string{name_of(remedy_of(error))}}});
        return 1;
    }
}

} // namespace usershell::program
