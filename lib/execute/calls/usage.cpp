#include "execute/calls/usage.hpp"

#include <algorithm>

namespace usershell::execute {

store::CallUsage usage_of(const ProviderId& provider, const std::string& model, const Spent& spent,
                          const CallFailure* failure) {
    const auto& [input, output, reasoning] = spent.told;
    const bool is_told = input && output && !failure; // at the end of the answer
    const bool has_cost = !failure || spent.answer_bytes > 0 || failure->reason == "cancelled";
    store::CallUsage usage{.provider = provider,
                           .model = model,
                           .failed = failure != nullptr,
                           .estimated = has_cost && !is_told};
    if (!has_cost) return usage;
    usage.input_tokens = input.value_or(spent.request_tokens);
    usage.output_tokens =
        is_told ? *output
                : std::max<std::uint64_t>(output.value_or(0), spent.answer_bytes / bytes_of_token);
    return usage;
}

} // namespace usershell::execute
