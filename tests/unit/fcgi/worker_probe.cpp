// run_worker with an application that does what the request's path says. Started by the worker
// tests.
//
//   fcgi_worker_probe [socket=PATH] [threads=N] [receive=MS] [send=MS] [patience=MS] [idle=MS]
//   [body=BYTES]
//                     [stack=BYTES] [files=N]
//
// Descriptor 10: one line for each happening goes here. Descriptor 11: a byte from here lets one
// `hold` go on.
#include "fcgi/worker.hpp"

#include <chrono>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace usershell;
using namespace usershell::fcgi;

namespace {

constexpr int report_fd = 10;
constexpr int release_fd = 11;

web::Response text_response(std::string text) {
    web::Response response;
    response.body = std::move(text);
    return response.set("Content-Type", "text/plain");
}

void report(const std::string& line) {
    const std::string whole = line + "\n";
    if (::write(report_fd, whole.data(), whole.size()) < 0) throw std::runtime_error{"no reader"};
}

void hold() {
    report("held");
    char byte = 0;
    if (::read(release_fd, &byte, 1) != 1) throw std::runtime_error{"no release"};
}

web::Response streamed() {
    web::Response response;
    response.streamed = true;
    return response;
}

web::Response echo(const web::Request& request, web::Stream& /*stream*/) {
    std::string text = std::string{web::name_of(request.method)} + "\n" + request.path + "\n" +
                       std::string{request.query} + "\n" + request.client_address + "\n" +
                       std::to_string(request.body_size) + "\n";
    for (const auto& [name, value] : request.headers)
        text.append(name).append(": ").append(value).append("\n");
    return text_response(text.append("\n").append(request.body));
}

web::Response frames(const web::Request& /*request*/, web::Stream& stream) {
    stream.begin(text_response({}));
    for (int i = 0; i < 3; ++i) stream.write("frame " + std::to_string(i) + "\n");
    return streamed();
}

web::Response hold_stream(const web::Request& /*request*/, web::Stream& stream) {
    stream.begin(text_response({}));
    stream.write("first\n");
    hold();
    stream.write("last\n");
    return streamed();
}

web::Response wait_until_gone(const web::Request& /*request*/, web::Stream& stream) {
    stream.begin(text_response({}));
    stream.write("start\n");
    pollfd watched{stream.gone_fd(), POLLIN | POLLRDHUP, 0};
    report(::poll(&watched, 1, 0) == 0 ? "there" : "gone too early");
    report(::poll(&watched, 1, 20'000) == 1 ? "gone" : "not seen");
    report(!stream.write("x") && !stream.write("y") ? "closed" : "open");
    return streamed();
}

web::Response flood(const web::Request& /*request*/, web::Stream& stream) {
    stream.begin(text_response({}));
    const std::string piece(8192, 'x');
    while (stream.write(piece)) {
    }
    report("stalled");
    return streamed();
}

web::Response broken_stream(const web::Request& /*request*/, web::Stream& stream) {
    stream.begin(text_response({}));
    stream.write("part\n");
    throw std::runtime_error{"secret detail"};
}

web::Response bad_stream(const web::Request& /*request*/, web::Stream& stream) {
    stream.begin(web::Response{}.set("X-Value", "a\r\nSet-Cookie: b"));
    report(stream.write("never") ? "open" : "closed");
    return streamed();
}

web::Response bad_header(const web::Request& /*request*/, web::Stream& /*stream*/) {
    return text_response("never").set("X-Value", "a\r\nSet-Cookie: b");
}

web::Response throw_error(const web::Request& /*request*/, web::Stream& /*stream*/) {
    throw std::runtime_error{"secret detail"};
}

web::Response throw_number(const web::Request& /*request*/, web::Stream& /*stream*/) { throw 7; }

web::Response stack_size(const web::Request& /*request*/, web::Stream& /*stream*/) {
    pthread_attr_t attributes;
    ::pthread_getattr_np(::pthread_self(), &attributes);
    std::size_t bytes = 0;
    ::pthread_attr_getstacksize(&attributes, &bytes);
    ::pthread_attr_destroy(&attributes);
    return text_response(std::to_string(bytes));
}

const std::map<std::string, Serve, std::less<>> paths = {
    {"/plain", [](const web::Request&, web::Stream&) { return text_response("hello"); }},
    {"/empty", [](const web::Request&, web::Stream&) { return web::Response::no_content(); }},
    {"/large",
     [](const web::Request&, web::Stream&) { return text_response(std::string(3'000'000, 'z')); }},
    {"/hold",
     [](const web::Request&, web::Stream&) {
         hold();
         return text_response("released");
     }},
    {"/nothing", [](const web::Request&, web::Stream&) { return streamed(); }},
    {"/echo", echo},
    {"/frames", frames},
    {"/hold-stream", hold_stream},
    {"/wait-until-gone", wait_until_gone},
    {"/flood", flood},
    {"/broken-stream", broken_stream},
    {"/bad-stream", bad_stream},
    {"/bad-header", bad_header},
    {"/throw", throw_error},
    {"/throw-number", throw_number},
    {"/stack-size", stack_size},
};

web::Response serve(const web::Request& request, web::Stream& stream) {
    const auto found = paths.find(request.path);
    if (found == paths.end()) {
        web::Response missing = text_response("no such path");
        missing.status = 404;
        return missing;
    }
    return found->second(request, stream);
}

void set_option(WorkerOptions& options, std::string_view name, const std::string& value) {
    using std::chrono::milliseconds;
    if (name == "socket")
        options.socket = value;
    else if (name == "threads")
        options.threads = std::stoul(value);
    else if (name == "receive")
        options.receive_time = milliseconds{std::stol(value)};
    else if (name == "send")
        options.send_time = milliseconds{std::stol(value)};
    else if (name == "patience")
        options.patience = milliseconds{std::stol(value)};
    else if (name == "idle")
        options.idle_time = milliseconds{std::stol(value)};
    else if (name == "body")
        options.max_body = std::stoul(value);
    else if (name == "stack")
        options.stack_bytes = std::stoul(value);
    else if (name == "files") {
        const rlimit limit{std::stoul(value), std::stoul(value)};
        ::setrlimit(RLIMIT_NOFILE, &limit);
    } else
        throw std::invalid_argument{"unknown option"};
}

} // namespace

int main(int argc, char** argv) {
    block_signals();
    WorkerOptions options;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        const std::size_t equals = argument.find('=');
        set_option(options, argument.substr(0, equals), argument.substr(equals + 1));
    }
    return run_worker(options, serve);
}
