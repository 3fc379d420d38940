#include "manage/providers/fields.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace usershell::manage {
namespace {

constexpr std::array<std::string_view, 14> capability_words{
    "generation", "assistant", "reasoning", "vision", "tools",      "code",   "embedding",
    "rerank",     "image",     "audio",     "video",  "moderation", "search", "fetch"};

std::string short_text(std::string_view field, std::string_view given, std::size_t limit) {
    std::string text = trim(given);
    if (has_control(text)) throw invalid(field, "Control characters are not allowed here.");
    if (count_code_points(text) > limit) {
        throw invalid(field, "At most " + std::to_string(limit) + " characters.");
    }
    return text;
}

std::string required_short_text(std::string_view field, const std::optional<std::string>& given,
                                std::size_t limit) {
    std::string text = short_text(field, given.value_or(""), limit);
    if (text.empty()) throw missing(field);
    return text;
}

std::string all_capability_words() {
    std::string words;
    for (const std::string_view word : capability_words) {
        if (!words.empty()) words += ", ";
        words += word;
    }
    return words;
}

std::string capability_word(std::string_view piece) {
    std::string word = lower_ascii(trim(piece));
    if (!word.empty() && std::ranges::find(capability_words, word) == capability_words.end()) {
        throw invalid("capabilities", "Capabilities are words of this list, separated by commas: " +
                                          all_capability_words() + ".");
    }
    return word;
}

bool visible_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

} // namespace

std::string name_field(const std::optional<std::string>& given) {
    return required_short_text("name", given, 100);
}

const ProviderType& type_field(const std::optional<std::string>& given) {
    const ProviderType* type = find_provider_type(given.value_or("generic-compatible"));
    if (type == nullptr) throw invalid("type", "There is no provider type of that name.");
    return *type;
}

crypto::Secret api_key_field(std::optional<std::string>& given) {
    if (!given) throw missing("apiKey");
    std::string trimmed = trim(*given);
    crypto::wipe(*given);
    crypto::Secret key = crypto::Secret::take(trimmed);
    if (key.empty()) throw missing("apiKey");
    if (key.size() > 4096) throw invalid("apiKey", "A key has at most 4,096 characters.");
    if (!visible_ascii(key.reveal())) {
        throw invalid("apiKey", "A key consists of visible ASCII characters, without spaces.");
    }
    return key;
}

bool status_field(const std::optional<std::string>& given) {
    if (!given) throw missing("status");
    if (*given == "active") return true;
    if (*given == "inactive") return false;
    throw invalid("status", R"(The status is "active" or "inactive".)");
}

std::string model_id_field(const std::optional<std::string>& given) {
    return required_short_text("modelId", given, 200);
}

std::string model_name_field(const std::optional<std::string>& given, const std::string& model_id) {
    std::string name = short_text("displayName", given.value_or(""), 200);
    return name.empty() ? model_id : name;
}

std::string capabilities_field(const std::optional<std::string>& given) {
    if (!given) throw missing("capabilities");
    std::vector<std::string> words;
    std::string_view rest = *given;
    while (!rest.empty()) {
        const auto comma = std::min(rest.find(','), rest.size());
        std::string word = capability_word(rest.substr(0, comma));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
        if (word.empty() || std::ranges::find(words, word) != words.end()) continue;
        words.push_back(std::move(word));
    }
    if (words.empty()) throw invalid("capabilities", "Name at least one capability.");
    std::string joined = words.front();
    for (std::size_t i = 1; i < words.size(); ++i) joined += "," + words[i];
    return joined;
}

int priority_field(std::int64_t given) {
    if (given < 0 || given > 1000)
        throw invalid("priority", "The priority is a number from 0 to 1,000.");
    return static_cast<int>(given);
}

} // namespace usershell::manage
