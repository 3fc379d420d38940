// OpenAI's format at Azure's addresses, with the key in `api-key`. A base URL that ends in "/v1" is
// the v1 API, addressed like OpenAI's and without api-version; any other is a resource whose
// deployments are addressed by name, with one. Sources: Microsoft Learn, "Azure OpenAI in Foundry
// Models API lifecycle" (v1) and "REST API reference".
#include "adapters/protocols/openai.hpp"
#include "base/ascii.hpp"

namespace usershell::adapters {

namespace {

constexpr std::string_view chat_version =
    "?api-version=2024-10-21"; // the last dated release that is not a preview
// The last version with a list of deployments; that of models names what is not deployed, too.
constexpr std::string_view list_version = "?api-version=2023-03-15-preview";

bool is_v1(const BaseUrl& base) { return ends_in_version(base.path()); }

/// "…/openai"; the base URL may already end so.
std::string resource_of(const BaseUrl& base) {
    return base.text() + (base.path().ends_with("/openai") ? "" : "/openai");
}

class AzureOpenAiAdapter : public OpenAiAdapter {
public:
    /// Responses are routes of the v1 API alone.
    std::string relay_url(const CallTarget& target, RelayRoute route, std::string_view model,
                          bool version_path) const override {
        if (is_v1(target.base_url))
            return OpenAiAdapter::relay_url(target, route, model, version_path);
        std::string url = resource_of(target.base_url);
        if (is_part_of(route, RelayRoute::responses))
            return url.append("/v1").append(path_of(route));
        url.append("/deployments/").append(percent_encoded(model)).append(path_of(route));
        return url.append(chat_version);
    }

    std::optional<net::KeyHeader> relay_key(const CallTarget& target) const override {
        return net::KeyHeader{"api-key", "", target.key};
    }

protected:
    std::string models_url(const CallTarget& target, const RequestOptions& options) const override {
        if (is_v1(target.base_url)) return OpenAiAdapter::models_url(target, options);
        return resource_of(target.base_url) + "/deployments" + std::string{list_version};
    }
};

} // namespace

const Adapter& azure_openai_adapter() {
    static const AzureOpenAiAdapter adapter;
    return adapter;
}

} // namespace usershell::adapters
