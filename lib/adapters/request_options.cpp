#include "adapters/request_options.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace usershell::adapters {

namespace {

constexpr auto unsupported_phrases =
    std::to_array<std::string_view>({"unsupported", "not support", "unrecognized", "unknown",
                                     "not permitted", "unexpected", "deprecated"});

/// "Unsupported parameter: 'max_tokens' …", "`temperature` is deprecated for this model", "Extra
/// inputs are not permitted" of the field at fault; not "max_tokens is too large".
bool is_unsupported(const ProviderError& error, const std::string& parameter) {
    const bool about = error.parameter == parameter || error.says(" " + parameter) ||
                       error.says("'" + parameter) || error.says("`" + parameter);
    return about &&
           (error.has_word("unsupported_parameter") || error.has_word("unsupported_value") ||
            std::ranges::any_of(unsupported_phrases,
                                [&](auto phrase) { return error.says(phrase); }));
}

/// "This model only support stream mode", "stream must be set to true", "requires streaming"
bool wants_stream(const ProviderError& error) {
    return error.says("stream") &&
           (error.says("only support") || error.says("must") || error.says("require"));
}

} // namespace

bool lacks_version(const CallTarget& target, const ProviderError& error) {
    return target.type.protocol == Protocol::openai && target.base_url.path().empty() &&
           (error.status == 404 || error.status == 405) &&
           reason_of(error) == Reason::not_this_protocol;
}

bool adjust(const CallTarget& target, const ProviderError& error, const RequestOptions& first,
            RequestOptions& options) {
    if (lacks_version(target, error)) return !std::exchange(options.version_path, true);
    if (error.status != 400 && error.status != 422) return false;
    if (options.usage && is_unsupported(error, "stream_options"))
        return std::exchange(options.usage, false);
    const bool other_stream =
        options.stream ? is_unsupported(error, "stream") : wants_stream(error);
    if (other_stream && options.stream == first.stream) {
        options.stream = !options.stream;
        return true;
    }
    const bool other_tokens =
        is_unsupported(error, options.completion_tokens ? "max_completion_tokens" : "max_tokens");
    if (other_tokens && options.completion_tokens == first.completion_tokens) {
        options.completion_tokens = !options.completion_tokens;
        return true;
    }
    const auto reason = reason_of(error);
    if ((reason == Reason::too_many_tokens || reason == Reason::too_long) &&
        std::exchange(options.fewer_tokens, false)) {
        options.max_tokens = few_check_tokens;
        return true;
    }
    return is_unsupported(error, "temperature") && std::exchange(options.temperature, false);
}

} // namespace usershell::adapters
