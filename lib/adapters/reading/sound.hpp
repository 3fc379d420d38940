// Whether an answer to a request for speech is sound, and of which type. The type that a tool is
// told is one of a list here, never the provider's text; deploy/nginx/snippets/api.conf lets
// exactly that list through. Pure. Sources: OpenAI API reference, "Create speech" (formats); IANA,
// "Media Types", audio; the signatures are those of ID3v2, MPEG-1, ADTS, RIFF, Ogg, FLAC and
// Matroska.
#pragma once

#include <string_view>

namespace usershell::adapters {

/// By the label, or by the first byte of a format. False: JSON, events, or a web page.
bool begins_sound(std::string_view label, char first);

/// The media type of a whole answer; empty: it is no sound. A known label counts, unless the answer
/// is text; without one the signature does. `label`: lower case, without parameters.
std::string_view sound_type(std::string_view label, std::string_view answer);

} // namespace usershell::adapters
