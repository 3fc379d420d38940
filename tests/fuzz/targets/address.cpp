// Addresses of providers: base URLs, hosts, IP addresses, the operator's rows of what may be
// called.
#include "domain/address/address.hpp"
#include "base/error.hpp"
#include "domain/address/url.hpp"
#include "domain/catalogue.hpp"
#include "net/curl.hpp"
#include "target.hpp"

namespace {

using namespace usershell;

/// Another one for each length, as to try all takes long.
const ProviderType& type_for(std::string_view text) {
    return provider_types()[text.size() % provider_types().size()];
}

void check_url(std::string_view text) {
    std::optional<BaseUrl> url;
    if (!fuzz::accepts([&] { url = BaseUrl::parse(text); })) return;
    fuzz::require(BaseUrl::parse(url->text()) == *url, "a base URL is canonical");
    fuzz::require(url->covers(url->text()) && url->covers(url->text() + "/models"),
                  "a base URL covers what is below it");
    fuzz::require(!url->covers(url->text() + "/../x"), "a base URL does not cover what is above");
    const auto seen = net::parse_url(url->text());
    fuzz::require(seen.handle != nullptr && seen.host == url->host() && seen.port == url->port() &&
                      seen.scheme == url->scheme(),
                  "libcurl reads the same host");
    const auto& type = type_for(text);
    const auto stored = stored_base_url(type, *url);
    fuzz::require(stored_base_url(type, BaseUrl::parse(stored)) == stored,
                  "a stored base URL is canonical");
}

void check_host(std::string_view text) {
    if (const auto host = canonical_host(text)) {
        fuzz::require(canonical_host(bracketed(*host)) == host, "a host is canonical");
        EgressPolicy{}.may_try(*host, 443);
    }
    if (const auto domain = ascii_domain(text))
        fuzz::require(ascii_domain(*domain) == domain, "a domain is canonical");
    if (const auto address = Address::parse(text)) {
        fuzz::require(Address::parse(address->text()) == address, "an address is canonical");
        fuzz::require(!address->client_networks().empty(), "a client is counted");
    }
}

void run(std::string_view input) {
    check_url(input);
    check_host(input);
    try {
        const EgressPolicy policy{{std::string{input}}};
    } catch (const Error&) { // is refused at the start
    }
    const auto& type = type_for(input);
    if (const auto base = base_url_in(type, std::string{type.default_base_url}, input))
        fuzz::require(!base_url_in(type, std::string{type.default_base_url}, *base),
                      "a corrected base URL needs no more correction");
}

// IDNA tables of libidn2 are loaded by the first call.
const fuzz::Target target{"address", run, 8192, std::size_t{1024} * 1024};

} // namespace
