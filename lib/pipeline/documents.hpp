// Providers, models and accounts as JSON texts, in the shape of the contract (sections 3 to 5): the
// only place that says what they look like. Pure.
#pragma once

#include "store/providers/providers.hpp"

#include <boost/json/array.hpp>

#include <string>
#include <vector>

namespace usershell::pipeline {

/// {"providers": […]}
std::string to_json(const std::vector<store::Provider>& providers);
std::string to_json(const store::Provider& provider);
std::string to_json(const store::Model& model);
std::string to_json(const store::Account& account);
/// {"nextInTurn": …, "errors": […]}
std::string to_json(const store::KeyFacts& facts);

/// Of each provider the members that mean something in another installation: no ids, handles, hints
/// and health.
boost::json::array portable(const std::vector<store::Provider>& providers);

} // namespace usershell::pipeline
