#include "base/logging/log.hpp"
#include "domain/rules.hpp"
#include "execute/handlers.hpp"
#include "execute/late_body.hpp"

#include <exception>

namespace usershell::execute {
namespace {

/// A request with a large body. The call that it begins with reads the body. Then that call is
/// gone, and the whole request is served as one that came at once.
class LateRequest final : public web::AsyncResponse {
public:
    LateRequest(Services& given, pipeline::RequestContext& context, std::shared_ptr<Call> call)
        : services_{given},
          call_{std::move(call)},
          request_{context.request},
          serve_{std::move(context.serve_whole)},
          body_part_{call_->memory().get()} {
        request_.memory = call_->memory();
    }

    Task<web::Response> run(web::Stream& stream) override {
        const std::exception_ptr failure = co_await read(stream);
        if (failure) std::rethrow_exception(failure);
        co_await services_.threads.enter();
        web::Response response = serve();
        if (response.async) co_return co_await response.async->run(stream);
        co_return response;
    }

private:
    /// Ends on the loop, the call has ended.
    Task<std::exception_ptr> read(web::Stream& stream) {
        call_->answers(&stream);
        std::exception_ptr failure;
        try {
            co_await services_.loop.enter();
            call_->count_stream();
            co_await read_late_body(stream, request_.body, *request_.memory, body_part_,
                                    {.announced = request_.body_size,
                                     .max_bytes = rules::max_image_body,
                                     .copies = copies_of_body});
        } catch (...) {
            failure = std::current_exception();
        }
        co_await call_->end();
        call_->answers(nullptr);
        call_.reset();
        co_return failure;
    }

    web::Response serve() {
        const LogContext log{request_.id};
        request_.is_late = false;
        request_.body_size = request_.body.size();
        web::Response response = serve_(request_);
        request_.body.clear();
        return response;
    }

    Services& services_;
    std::shared_ptr<Call> call_; ///< null once the body is there
    web::Request request_;
    std::function<web::Response(const web::Request&)> serve_;
    CallMemory::Part body_part_;
};

} // namespace

web::Response late_request(Services& services, pipeline::RequestContext& context,
                           std::shared_ptr<Call> call) {
    call->take_providers();
    call->require_slot();
    return async_response<LateRequest>(services, context, std::move(call));
}

} // namespace usershell::execute
