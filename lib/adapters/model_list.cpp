#include "adapters/model_list.hpp"

#include "base/text.hpp"
#include "domain/rules.hpp"

#include <algorithm>

namespace usershell::adapters {

namespace {

constexpr std::size_t max_id = rules::model_id.max; // code points
constexpr std::size_t max_models = rules::max_listed_models;
constexpr std::size_t max_read = 10'000; // more than there are, less than would need much memory

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
    const bool truncated = models_.size() > max_models;
    if (truncated) models_.resize(max_models);
    return {std::move(models_), truncated};
}

void Capabilities::add(std::string_view word, bool condition) {
    const std::string all = "," + text_ + ",";
    if (!condition || all.find("," + std::string{word} + ",") != std::string::npos) return;
    if (!text_.empty()) text_ += ',';
    text_ += word;
}

} // namespace usershell::adapters
