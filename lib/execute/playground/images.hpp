// The images of a message, as a playground call's body has them: a type and Base64. Their first
// bytes are looked at and no more: nothing of them is decoded or shown here, and the provider reads
// them.
#pragma once

#include "adapters/calls.hpp"

#include <boost/json/array.hpp>

#include <string_view>
#include <vector>

namespace usershell::execute {

/// The images of one message; null: none. They are views into the list. Throws Refusal
/// invalid_field of that field for what is no image, and for too many or too large ones.
std::vector<adapters::ChatImage> read_images(std::string_view field,
                                             const boost::json::array* images);

/// The bytes of an image.
std::size_t bytes_of(const adapters::ChatImage& image);

} // namespace usershell::execute
