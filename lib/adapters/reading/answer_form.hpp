// Which form an answer has, for relays and for chats. Its label does not determine it: providers
// stream when no stream was asked for, label streams as text, JSON or nothing, and send whole
// answers and errors as text/event-stream. So the first character that is no white space decides.
// "{" or "[" begins a whole answer, "<" a web page, any other character an event stream. Only of a
// route that may be answered with sound the label counts: that of sound, or the first byte of a
// format of sound, means sound.
//
// The type that a tool gets is one of a list here, never the provider's text;
// deploy/nginx/lua/usershell/answers.lua lets exactly that list through. Sources: OpenAI API
// reference, "Create speech" (formats); IANA, "Media Types", audio; the signatures are those of
// ID3v2, MPEG-1, ADTS, RIFF, Ogg, FLAC and Matroska.
#pragma once

#include <cstddef>
#include <string_view>

namespace usershell::adapters {

class AnswerForm {
public:
    enum class Form {
        unknown, ///< nothing but white space has come
        events,
        whole,
        sound,
        foreign, ///< a web page, or white space without end: not to be read
    };

    explicit AnswerForm(bool may_be_sound = false) : may_be_sound_{may_be_sound} {}

    /// The piece without the white space before the answer, which some providers send for minutes
    /// to keep a connection alive: it is dropped as it comes and only counted. `label`: the media
    /// type, lower case, without parameters.
    std::string_view take(std::string_view piece, std::string_view label = {});
    bool is(Form form) const { return form_ == form; }

private:
    const bool may_be_sound_;
    std::size_t blanks_ = 0;
    Form form_ = Form::unknown;
};

/// The media type of a whole answer; empty: it is no sound. A known label counts, unless the answer
/// is text; without one the signature does.
std::string_view sound_type(std::string_view label, std::string_view answer);

} // namespace usershell::adapters
