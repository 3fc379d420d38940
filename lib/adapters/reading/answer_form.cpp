#include "adapters/reading/answer_form.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace usershell::adapters {

namespace {

/// A label, or the first bytes; and the media type of sound that it means.
using SoundRow = std::pair<std::string_view, std::string_view>;

constexpr auto labels = std::to_array<SoundRow>({
    {"audio/mpeg", "audio/mpeg"},
    {"audio/mp3", "audio/mpeg"},
    {"audio/wav", "audio/wav"},
    {"audio/x-wav", "audio/wav"},
    {"audio/wave", "audio/wav"},
    {"audio/vnd.wave", "audio/wav"},
    {"audio/ogg", "audio/ogg"},
    {"audio/opus", "audio/opus"},
    {"audio/aac", "audio/aac"},
    {"audio/flac", "audio/flac"},
    {"audio/x-flac", "audio/flac"},
    {"audio/webm", "audio/webm"},
    {"audio/pcm", "audio/pcm"},
});

constexpr auto signatures = std::to_array<SoundRow>({
    {"ID3", "audio/mpeg"},
    {"\xff\xfb", "audio/mpeg"},
    {"\xff\xfa", "audio/mpeg"},
    {"\xff\xf3", "audio/mpeg"},
    {"\xff\xf2", "audio/mpeg"},
    {"\xff\xf1", "audio/aac"},
    {"\xff\xf9", "audio/aac"},
    {"RIFF", "audio/wav"},
    {"OggS", "audio/ogg"},
    {"fLaC", "audio/flac"},
    {"\x1a\x45\xdf\xa3", "audio/webm"},
});

template <class Tells>
std::string_view type_in(std::span<const SoundRow> rows, Tells tells) {
    const auto row = std::ranges::find_if(rows, tells, &SoundRow::first);
    return row == rows.end() ? std::string_view{} : row->second;
}

std::string_view labelled(std::string_view label) {
    return type_in(labels, [&](auto known) { return known == label; });
}

bool begins_sound(std::string_view label, char first) {
    return !labelled(label).empty() ||
           !type_in(signatures, [&](auto start) { return start.front() == first; }).empty();
}

bool is_text(std::string_view answer) {
    return is_utf8(answer) && std::ranges::none_of(answer, [](char c) {
               return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\r' && c != '\t';
           });
}

} // namespace

std::string_view AnswerForm::take(std::string_view piece, std::string_view label) {
    constexpr std::string_view passed_over = " \t\r\n\xef\xbb\xbf"; // and a byte order mark
    constexpr std::size_t max_blanks = std::size_t{64} * 1024;
    if (form_ != Form::unknown || piece.empty()) return piece;
    if (may_be_sound_ && blanks_ == 0 && begins_sound(label, piece.front())) {
        form_ = Form::sound;
        return piece;
    }
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

std::string_view sound_type(std::string_view label, std::string_view answer) {
    if (is_text(answer)) return {};
    const auto type = labelled(label);
    return type.empty() ? type_in(signatures, [&](auto start) { return answer.starts_with(start); })
                        : type;
}

} // namespace usershell::adapters
