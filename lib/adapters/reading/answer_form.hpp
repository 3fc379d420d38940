// Which form an answer has, for relays and for chats. Its label does not determine it: providers
// stream when no stream was asked for, label streams as text, JSON or nothing, and send whole
// answers and errors as text/event-stream. So the first character that is no white space decides.
// "{" or "[" begins a whole answer, "<" a web page, any other character an event stream.
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
        foreign, ///< a web page, or white space without end: not to be read
    };

    /// The piece without the white space before the answer, which some providers send for minutes
    /// to keep a connection alive: it is dropped as it comes and only counted.
    std::string_view take(std::string_view piece);
    Form form() const { return form_; }
    bool is(Form form) const { return form_ == form; }

private:
    std::size_t blanks_ = 0;
    Form form_ = Form::unknown;
};

} // namespace usershell::adapters
