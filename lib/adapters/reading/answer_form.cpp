#include "adapters/reading/answer_form.hpp"

#include <algorithm>

namespace usershell::adapters {

std::string_view AnswerForm::take(std::string_view piece) {
    constexpr std::string_view passed_over = " \t\r\n\xef\xbb\xbf"; // and a byte order mark
    constexpr std::size_t max_blanks = std::size_t{64} * 1024;
    if (form_ != Form::unknown) return piece;
    const auto blanks = std::min(piece.find_first_not_of(passed_over), piece.size());
    blanks_ += blanks;
    piece.remove_prefix(blanks);
    if (blanks_ > max_blanks)
        form_ = Form::foreign;
    else if (!piece.empty())
        form_ = piece.front() == '{' || piece.front() == '[' ? Form::whole
                : piece.front() == '<'                       ? Form::foreign
                                                             : Form::events;
    return piece;
}

} // namespace usershell::adapters
