// A provider's list of models, of each protocol, or the results of a search. The first byte: the
// protocol.
#include "adapters/adapter.hpp"
#include "adapters/protocols/search.hpp"
#include "adapters/reading/json.hpp"
#include "base/text.hpp"
#include "domain/rules.hpp"
#include "target.hpp"

#include <algorithm>

namespace {

using namespace usershell;
using namespace usershell::adapters;

void check_models(const Adapter& adapter, const json::value& value) {
    ModelList list;
    try {
        if (!read_list(value, adapter.list_form(), list)) return;
    } catch (const UpstreamError&) {
        return; // of elements none is a model
    }
    const auto models = std::move(list).take().models;
    fuzz::require(models.size() <= rules::max_listed_models, "a list is bounded");
    fuzz::require(std::ranges::adjacent_find(models, std::ranges::greater_equal{},
                                             &AvailableModel::id) == models.end(),
                  "ids are sorted, each once");
    ModelList again;
    for (const auto& model : models) {
        fuzz::require(is_utf8(model.id) && !has_control(model.id) && !model.id.empty(),
                      "an id can be shown");
        fuzz::require(is_utf8(model.display_name) && !has_control(model.display_name),
                      "a name can be shown");
        again.add(model.id, model.display_name, model.capabilities);
    }
    const auto same = std::move(again).take().models;
    fuzz::require(std::ranges::equal(models, same,
                                     [](const AvailableModel& a, const AvailableModel& b) {
                                         return a.id == b.id && a.display_name == b.display_name;
                                     }),
                  "a list that was read is canonical");
}

void run(std::string_view input) {
    constexpr auto count = static_cast<std::size_t>(Protocol::firecrawl) + 1;
    fuzz::Input from{input};
    const auto protocol = static_cast<Protocol>(from.byte() % count);
    JsonMemory memory{std::size_t{256} * 1024};
    const auto parsed = parse_json(from.rest(), &memory);
    if (!parsed.value) return;
    if (const Adapter* const adapter = find_adapter(protocol))
        check_models(*adapter, *parsed.value);
    if (const SearchProtocol* const search = find_search(protocol)) {
        const auto results = read_results(*search, *parsed.value);
        fuzz::require(!results || (is_utf8(*results) && !has_control(*results, true)),
                      "results can be shown");
    }
}

// The tree of the JSON may take 1 MiB here, and the models have memory of their own.
const fuzz::Target target{"model_list", run, std::size_t{256} * 1024, std::size_t{3072} * 1024};

} // namespace
