// All templates of the programs (templates.hpp), loaded with what no request changes: the table of
// rules, the folder of the assets, the catalogue of provider types.
#pragma once

#include "web/pages.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace usershell::pages {

/// Templates may show, besides what they are given: ASSETS; each rule of domain/rules.hpp
/// (MAX_PROVIDERS, MIN_PRIORITY, lists as CAPABILITY_WORDS with commas between), so that no page
/// says a number of its own; DEFAULT_CAPABILITIES; ENDINGS (catalogue.hpp); and
/// `{{>PROVIDER_TYPES}}`. `catalogue_base_urls`, `api`: the operator's settings; with `api`
/// templates show their sections ACCESS. Throws PagesError.
web::Pages load_pages(const std::filesystem::path& folder,
                      const std::vector<std::string>& catalogue_base_urls = {}, bool api = false);

} // namespace usershell::pages
