#include "adapters/adapter.hpp"

#include "base/rules.hpp"
#include "base/text.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <cctype>

namespace usershell::adapters {

namespace {

constexpr std::size_t max_id = rules::model_id.max; // code points
constexpr std::size_t max_models = rules::max_listed_models;
constexpr std::size_t max_read = 10'000; // more than there are, less than would need much memory

struct Row {
    Protocol protocol;
    const Adapter& (*adapter)();
};

constexpr auto rows = std::to_array<Row>({
    {Protocol::openai, openai_adapter},
    {Protocol::anthropic, anthropic_adapter},
    {Protocol::gemini, gemini_adapter},
    {Protocol::azure_openai, azure_openai_adapter},
    {Protocol::ollama, ollama_adapter},
});

} // namespace

const Adapter* find_adapter(Protocol protocol) {
    const auto* const row = std::ranges::find(rows, protocol, &Row::protocol);
    return row == rows.end() ? nullptr : &row->adapter();
}

CallTexts texts_of(std::string_view key, const ChatRequest& request) {
    CallTexts texts{key, {request.model, request.system}};
    for (const auto& message : request.messages) texts.from_caller.push_back(message.content);
    return texts;
}

RequestOptions Adapter::options(const CallTarget&, const ChatRequest& request) const {
    RequestOptions options;
    options.stream = request.stream;
    return options;
}

std::optional<std::uint32_t> token_limit(const ChatRequest& request) {
    if (!request.max_tokens && request.check) return check_tokens;
    return request.max_tokens;
}

net::HttpRequest post_json(std::string url, net::KeyHeader key, const json::value& body,
                           bool stream) {
    net::HttpRequest request;
    request.method = "POST";
    request.url = std::move(url);
    request.headers = {{"Content-Type", "application/json"},
                       {"Accept", stream ? "text/event-stream" : "application/json"}};
    request.key = std::move(key);
    request.body = json::serialize(body);
    return request;
}

net::HttpRequest get_json(std::string url, net::KeyHeader key) {
    net::HttpRequest request;
    request.method = "GET";
    request.url = std::move(url);
    request.headers = {{"Accept", "application/json"}};
    request.key = std::move(key);
    return request;
}

bool ends_in_version(std::string_view path) {
    const auto last = path.substr(path.rfind('/') + 1);
    return last.size() >= 2 && last[0] == 'v' && last[1] >= '0' && last[1] <= '9';
}

void ModelList::add(std::string_view id, std::string_view display_name, std::string capabilities) {
    if (models_.size() >= max_read) return;
    if (id.empty() || !is_utf8(id) || has_control(id) || count_code_points(id) > max_id) return;
    const std::string name = shorten(trim(printable(display_name)), max_id);
    models_.push_back(
        {std::string{id}, name.empty() ? std::string{id} : name, std::move(capabilities)});
}

bool ModelList::full() const { return models_.size() >= max_models; }

std::vector<AvailableModel> ModelList::take() && {
    std::ranges::stable_sort(models_, {}, &AvailableModel::id);
    const auto repeated = std::ranges::unique(models_, {}, &AvailableModel::id);
    models_.erase(repeated.begin(), repeated.end());
    if (models_.size() > max_models) models_.resize(max_models);
    return std::move(models_);
}

void Capabilities::add(std::string_view word, bool condition) {
    const std::string all = "," + text_ + ",";
    if (!condition || all.find("," + std::string{word} + ",") != std::string::npos) return;
    if (!text_.empty()) text_ += ',';
    text_ += word;
}

} // namespace usershell::adapters
