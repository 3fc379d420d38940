// Serves a program's requests by its dispatch: the last call of each main.
#pragma once

#include "domain/settings/config.hpp"
#include "fcgi/worker.hpp"
#include "pipeline/dispatch.hpp"

#include <functional>
#include <string>
#include <utility>

namespace usershell::fcgi {

/// As run_worker(), on the settings' socket. `max_threads`: unless the settings name a number.
/// `loop`: of answers that come later, if the program has any. `lane`: as of Application.
inline int serve(const pipeline::Dispatch& dispatch, const Settings& settings,
                 std::size_t max_threads, Loop* loop = nullptr,
                 std::function<std::string(const web::Request&)> lane = {}) {
    WorkerOptions options;
    options.socket = settings.socket;
    options.max_threads = settings.threads != 0 ? settings.threads : max_threads;
    return run_worker(
        options,
        {.serve = [&dispatch](const web::Request& request) { return dispatch.serve(request); },
         .refuse =
             [&dispatch](const Refusal& refusal, const web::Request& request) {
                 return dispatch.refuse(refusal, request);
             },
         .loop = loop,
         .reads_late =
             [&dispatch](std::string_view uri, std::size_t announced) {
                 return dispatch.reads_late(uri, announced);
             },
         .lane = std::move(lane)});
}

} // namespace usershell::fcgi
