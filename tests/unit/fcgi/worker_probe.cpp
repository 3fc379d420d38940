// run_worker with an application that does what the request's path says. Started by Probe.
//
//   fcgi_worker_probe [NAME=VALUE]…
//
// A byte from standard input lets one request of /hold go on.
#include "base/process.hpp"
#include "fcgi/worker.hpp"

#include <functional>
#include <map>
#include <stdexcept>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

using namespace usershell;
using namespace usershell::fcgi;

namespace {

web::Response text_response(std::string text) {
    web::Response response;
    response.body = std::move(text);
    return response;
}

web::Response streamed() {
    web::Response response;
    response.streamed = true;
    return response;
}

/// Streams "held", and "released" once it may.
web::Response hold(web::Stream& stream) {
    stream.begin({});
    stream.write("held\n");
    char byte = 0;
    if (::read(STDIN_FILENO, &byte, 1) != 1) throw std::runtime_error{"no release"};
    stream.write("released\n");
    return streamed();
}

/// Streams until nobody reads any more.
web::Response flood(web::Stream& stream) {
    stream.begin({});
    while (stream.write(std::string(8192, 'x'))) {
    }
    return streamed();
}

web::Response serve(const web::Request& request, web::Stream& stream) {
    if (request.path == "/hold") return hold(stream);
    if (request.path == "/flood") return flood(stream);
    return text_response("hello " + std::string{request.body});
}

web::Response refuse(const Refusal& refusal, const web::Request& /*request*/) {
    web::Response response = text_response(refusal.sentence());
    response.status = refusal.status();
    return response;
}

void limit_files(rlim_t files) {
    const rlimit limit{files, files};
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

} // namespace

int main(int argc, char** argv) {
    block_signals();
    WorkerOptions options;
    const auto milliseconds = [](std::chrono::milliseconds& option) {
        return [&option](const std::string& value) {
            option = std::chrono::milliseconds{std::stol(value)};
        };
    };
    const std::map<std::string, std::function<void(const std::string&)>, std::less<>> settings = {
        {"socket", [&](const std::string& value) { options.socket = value; }},
        {"threads", [&](const std::string& value) { options.max_threads = std::stoul(value); }},
        {"receive", milliseconds(options.receive_timeout)},
        {"send", milliseconds(options.send_timeout)},
        {"wait", milliseconds(options.max_wait)},
        {"idle", milliseconds(options.idle_timeout)},
        {"files", [](const std::string& value) { limit_files(std::stoul(value)); }},
    };
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        const std::size_t equals = argument.find('=');
        settings.at(argument.substr(0, equals))(argument.substr(equals + 1));
    }
    return run_worker(options, {.serve = serve, .refuse = refuse});
}
