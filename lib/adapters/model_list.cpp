#include "adapters/model_list.hpp"

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "domain/rules.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace usershell::adapters {

namespace {

constexpr std::size_t max_id = rules::model_id.max; // code points
constexpr std::size_t max_models = rules::max_listed_models;
constexpr std::size_t max_read = 10'000; // more than there are, less than would need much memory

/// In order: the first of them is the name that a call needs.
constexpr auto id_places =
    std::to_array<std::string_view>({"/id", "/model_id", "/modelId", "/model", "/slug", "/key",
                                     "/model_name", "/modelName", "/name"});
constexpr auto display_places =
    std::to_array<std::string_view>({"/display_name", "/displayName", "/friendly_name", "/name",
                                     "/model_name", "/modelName", "/title"});
constexpr auto list_places = std::to_array<std::string_view>(
    {"/data", "/models", "/result", "/results", "/items", "/list", "/modelSummaries", "/endpoints",
     "/resources", "/deployments", "/value", "/objects", "/response"});
constexpr auto page_places = std::to_array<std::string_view>(
    {"/pagination", "/paging", "/page", "/meta", "/links", "/_links"});
constexpr int max_list_depth = 3;

/// A place that has a model's abilities.
struct CapabilityRow {
    std::string_view words;
    std::string_view place;
    std::string_view text; ///< the value there, alone or in a list; empty: true
};
constexpr auto capability_rows = std::to_array<CapabilityRow>({
    {"generation,assistant", "/capabilities/completion_chat", ""},
    {"generation,assistant", "/type", "chat"},
    {"generation,assistant", "/architecture/output_modalities", "text"},
    {"generation,assistant", "/supportedGenerationMethods", "generateContent"},
    {"generation,assistant", "/capabilities", "completion"},
    {"generation", "/type", "language"},
    {"reasoning", "/supported_parameters", "reasoning"},
    {"reasoning", "/capabilities/reasoning", ""},
    {"reasoning", "/capabilities/thinking", ""},
    {"reasoning", "/capabilities", "thinking"},
    {"reasoning", "/thinking", ""},
    {"vision", "/capabilities/vision", ""},
    {"vision", "/capabilities/image_input", ""},
    {"vision", "/capabilities", "vision"},
    {"vision", "/architecture/input_modalities", "image"},
    {"tools", "/capabilities/function_calling", ""},
    {"tools", "/capabilities", "tools"},
    {"tools", "/supported_parameters", "tools"},
    {"image", "/architecture/output_modalities", "image"},
    {"embedding", "/supportedGenerationMethods", "embedContent"},
    {"embedding", "/capabilities", "embedding"},
});
/// Types of models that are capabilities.
constexpr auto type_words = std::to_array<std::string_view>(
    {"image", "code", "embedding", "rerank", "audio", "video", "moderation"});

bool tells(const json::value& model, const CapabilityRow& row) {
    const auto* const told = find_value(model, row.place);
    if (!told) return false;
    if (row.text.empty()) return true_at(*told, "") || true_at(*told, "/supported");
    const auto is_text = [&](const json::value& each) { return text_at(each, "") == row.text; };
    const auto* const list = told->if_array();
    return list ? std::ranges::any_of(*list, is_text) : is_text(*told);
}

/// As rules::capability spells them, each once.
std::string capabilities_of(const json::value& model, std::string_view of_each) {
    std::string words{of_each};
    const auto add = [&](std::string_view word) {
        if (("," + words + ",").find("," + std::string{word} + ",") != std::string::npos) return;
        words.append(words.empty() ? "" : ",").append(word);
    };
    for (const CapabilityRow& row : capability_rows)
        if (tells(model, row)) add(row.words);
    for (const auto word : type_words)
        if (text_at(model, "/type") == word) add(word);
    return words;
}

bool is_hash(std::string_view id) {
    constexpr std::string_view digits = "0123456789abcdefABCDEF-";
    constexpr std::size_t record = 24; // MongoDB's
    return (id.size() >= 32 || id.size() == record) &&
           id.find_first_not_of(digits) == std::string_view::npos;
}

/// The name of a record in a registry or a database ("azureml://…", a UUID, a hash): a call takes
/// another one.
bool is_of_a_record(std::string_view id) {
    return id.find("://") != std::string_view::npos || is_hash(id);
}

std::string_view id_of(const json::value& model) {
    if (model.is_string()) return model.get_string();
    std::string_view found;
    for (const auto place : id_places) {
        const auto id = text_at(model, place);
        if (!id.empty() && !is_of_a_record(id)) return id;
        if (found.empty()) found = id;
    }
    return found;
}

const json::array* list_in(const json::value& value, int depth = max_list_depth) {
    if (const auto* const list = value.if_array()) return list;
    if (!value.is_object() || depth == 0) return nullptr;
    const json::array* first = nullptr; // of empty ones
    for (const auto place : list_places) {
        const auto* const inner = find_value(value, place);
        const auto* const list = inner ? list_in(*inner, depth - 1) : nullptr;
        if (list && !list->empty()) return list;
        if (!first) first = list;
    }
    return first;
}

/// The query of an address, which becomes part of ours as it is.
std::string query_of(std::string_view address) {
    const auto mark = address.find('?');
    const auto query = mark == std::string_view::npos ? "" : address.substr(mark + 1);
    const bool fits = std::ranges::all_of(query, [](char c) {
        return is_unreserved(c) ||
               std::string_view{"%=&;,:@/+!*()$"}.find(c) != std::string_view::npos;
    });
    return fits ? std::string{query} : std::string{};
}

/// "next": an address, a page's number or its name.
std::string next_in(const json::value& value, std::string_view place, std::string_view parameter) {
    const auto* const next = find_value(value, place);
    if (!next) return {};
    if (next->is_object()) return query_of(text_at(*next, "/href"));
    if (const auto number = count_at(*next, "")) return "page=" + std::to_string(*number);
    const auto text = text_at(*next, "");
    const bool is_address = text.find('?') != std::string_view::npos || text.starts_with('/') ||
                            text.find("://") != std::string_view::npos;
    if (text.empty() || is_address) return query_of(text);
    return std::string{parameter} + "=" + percent_encoded(text);
}

std::string next_page(const json::value& page, const ListForm& form, std::string_view last_listed) {
    // The name of the next page, and the parameter that takes it.
    const std::pair<std::string_view, std::string_view> places[] = {
        {"/nextPageToken", form.token},
        {"/next_page_token", form.token},
        {"/next_cursor", "cursor"},
        {"/nextCursor", "cursor"},
        {"/next", "cursor"},
        {"/next_page", "page"},
        {"/nextPage", "page"},
        {"/nextLink", "page"},
        {"/next_url", "page"},
        {"/@odata.nextLink", "page"},
        {"/nextToken", "nextToken"},
        {"/after", form.after},
    };
    for (const auto& [place, parameter] : places)
        if (auto next = next_in(page, place, parameter); !next.empty()) return next;
    if (true_at(page, "/has_more") || true_at(page, "/hasMore")) {
        const auto told = text_at(page, "/last_id");
        const auto last = told.empty() ? last_listed : told;
        return last.empty() ? "" : std::string{form.after} + "=" + percent_encoded(last);
    }
    for (const auto place : page_places)
        if (const auto* const inner = find_value(page, place); inner && inner->is_object())
            if (auto next = next_page(*inner, form, last_listed); !next.empty()) return next;
    return {};
}

} // namespace

void ModelList::add(std::string_view id, std::string_view display_name, std::string capabilities) {
    if (models_.size() >= max_read) return;
    if (id.empty() || id != trimmed(id)) return; // a model is stored under its trimmed id
    if (!is_utf8(id) || has_control(id) || count_code_points(id) > max_id) return;
    const std::string name = shorten(trim(printable(display_name)), max_id);
    models_.push_back(
        {std::string{id}, name.empty() ? std::string{id} : name, std::move(capabilities)});
}

bool ModelList::full() const { return models_.size() > max_models; }

ModelListing ModelList::take() && {
    std::ranges::stable_sort(models_, {}, &AvailableModel::id);
    const auto same = [](const AvailableModel& a, const AvailableModel& b) { return a.id == b.id; };
    models_.erase(std::unique(models_.begin(), models_.end(), same), models_.end());
    truncated_ = truncated_ || models_.size() > max_models;
    if (models_.size() > max_models) models_.resize(max_models);
    return {std::move(models_), truncated_};
}

std::optional<std::string> read_list(const json::value& page, const ListForm& form,
                                     ModelList& models) {
    const auto* const list = list_in(page);
    if (!list) return std::nullopt;
    std::string_view last;
    for (const auto& model : *list) {
        auto id = id_of(model);
        const auto name = first_text(model, display_places);
        const bool has_name = name != id;
        if (id.starts_with(form.id_prefix)) id.remove_prefix(form.id_prefix.size());
        models.add(id, has_name ? name : id, capabilities_of(model, form.capabilities));
        last = id;
    }
    if (last.empty() && !list->empty() && models.empty())
        throw UpstreamError::with_sentence(Reason::not_this_protocol,
                                           "The provider’s list of models can’t be read."_en);
    return next_page(page, form, last);
}

} // namespace usershell::adapters
