#include "adapters/reading/sound.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>

namespace usershell::adapters {
namespace {

struct LabelRow {
    std::string_view label;
    std::string_view type;
};
constexpr auto labels = std::to_array<LabelRow>({
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

struct SignatureRow {
    std::string_view start;
    std::string_view type;
};
constexpr auto signatures = std::to_array<SignatureRow>({
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

const LabelRow* find_label(std::string_view label) {
    const auto* const row = std::ranges::find(labels, label, &LabelRow::label);
    return row == labels.end() ? nullptr : row;
}

const SignatureRow* find_signature(std::string_view answer) {
    const auto* const row = std::ranges::find_if(
        signatures, [&](const SignatureRow& each) { return answer.starts_with(each.start); });
    return row == signatures.end() ? nullptr : row;
}

bool is_text(std::string_view answer) {
    return is_utf8(answer) && std::ranges::none_of(answer, [](char c) {
               return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\r' && c != '\t';
           });
}

} // namespace

bool begins_sound(std::string_view label, char first) {
    return find_label(label) != nullptr ||
           std::ranges::any_of(signatures, [first](const SignatureRow& each) {
               return each.start.front() == first;
           });
}

std::string_view sound_type(std::string_view label, std::string_view answer) {
    if (is_text(answer)) return {};
    if (const LabelRow* const row = find_label(label)) return row->type;
    const SignatureRow* const row = find_signature(answer);
    return row ? row->type : std::string_view{};
}

} // namespace usershell::adapters
