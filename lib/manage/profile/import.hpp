// The file of providers that a person exported, read back. Pure but for the ids it draws.
#pragma once

#include "manage/services.hpp"
#include "store/providers/providers.hpp"
#include "web/body.hpp"

#include <vector>

namespace usershell::manage {

/// The providers of the file, each with a new id. Ids, states and other members
/// are not read: everything is as new. Each field is held to its own rule; a Refusal says where in
/// the file it is ("Provider 2, model 1: …") and names the field
/// ("providers[1].models[0].modelId").
std::vector<store::ImportedProvider> read_import(const Services& services,
                                                 const web::JsonBody& file);

} // namespace usershell::manage
