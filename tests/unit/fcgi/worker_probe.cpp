// fcgi_worker_probe [NAME=VALUE]…: run_worker with an application that does what the path says.
// A byte from standard input lets one request of /hold or /stream go on.
#include "base/logging/log.hpp"
#include "fcgi/worker.hpp"
#include "runtime/blocking_pool.hpp"
#include "runtime/process.hpp"
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/epoll.h>
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
void wait_for_release() {
    char byte = 0;
    if (::read(STDIN_FILENO, &byte, 1) != 1) throw std::runtime_error{"no release"};
}
web::Response hold() {
    log(Level::info, "held");
    wait_for_release();
    return text_response("released\n");
}
/// On the loop: streams "held", and "released" once it may.
struct HeldStream final : public web::AsyncResponse, Loop::Watcher {
    explicit HeldStream(Loop& loop) : loop_{loop}, released_{loop} { released_.reset(); }
    Task<web::Response> run(web::Stream& stream) override {
        co_await loop_.enter();
        loop_.watch(STDIN_FILENO, EPOLLIN, *this);
        stream.begin({});
        stream.write("held\n");
        co_await released_.wait();
        stream.write("released\n");
        web::Response response;
        response.streamed = true;
        co_return response;
    }
    void on_ready(int descriptor, std::uint32_t /*events*/) override {
        wait_for_release();
        loop_.forget(descriptor);
        released_.set();
    }
    Loop& loop_;
    AsyncEvent released_;
};
web::Response serve(Loop& loop, const web::Request& request) {
    if (request.path == "/hold") return hold();
    if (request.path == "/flood") return text_response(std::string(std::size_t{8} << 20U, 'x'));
    if (request.path == "/stream") {
        web::Response response;
        response.async = std::make_unique<HeldStream>(loop);
        return response;
    }
    return text_response("hello " + std::string{request.body});
}
web::Response refuse(const Refusal& refusal, const web::Request& /*request*/) {
    web::Response response = text_response(refusal.sentence().english());
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
    bool has_lanes = false;
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
        {"lanes", [&](const std::string&) { has_lanes = true; }},
        {"files", [](const std::string& value) { limit_files(std::stoul(value)); }},
    };
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        const std::size_t equals = argument.find('=');
        settings.at(argument.substr(0, equals))(argument.substr(equals + 1));
    }
    Loop loop;
    const LoopThread running{loop};
    Application application{
        .serve = [&loop](const web::Request& request) { return serve(loop, request); },
        .refuse = refuse,
        .loop = &loop};
    if (has_lanes)
        application.lane = [](const web::Request& request) {
            return std::string{request.cookie("lane").value_or("")};
        };
    return run_worker(options, application);
}
