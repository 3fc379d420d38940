#include "adapters/sending.hpp"

#include <algorithm>

namespace usershell::adapters {

UpstreamError leads_out() {
    return UpstreamError::with_sentence(
        Reason::rejected, "This call would leave the provider's base URL, so it was not made. Look "
                          "at the base URL and at the model's id."_en);
}

net::HttpControl CallClock::next(std::size_t answer_bytes) const {
    const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - start_);
    net::HttpControl http;
    http.limits = control_.limits;
    http.limits.answer_bytes = answer_bytes;
    http.limits.total = std::max(http.limits.total - spent, std::chrono::milliseconds{0});
    http.cancellation = control_.cancellation;
    http.writable = control_.writable;
    http.budget = control_.budget;
    http.tick = control_.tick;
    http.on_tick = control_.on_tick;
    http.pool = control_.pool;
    return http;
}

Task<net::HttpResult> send(const CallTarget& target, const CallControl& control,
                           const net::HttpRequest& request, const net::HttpControl& http) {
    if (!target.base_url.covers(request.url)) throw leads_out();
    if (control.budget && !control.budget->take_request())
        throw UpstreamError::with_sentence(Reason::too_large,
                                           "The provider's answer comes in too many parts."_en);
    return control.http.perform(request, http);
}

} // namespace usershell::adapters
