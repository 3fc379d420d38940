#include "manage/profile/profile.hpp"

#include "base/text.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace usershell::manage {
namespace {

constexpr std::array<std::string_view, 12> colours{"#9f1239", "#9a3412", "#854d0e", "#3f6212",
                                                   "#166534", "#115e59", "#155e75", "#075985",
                                                   "#1e40af", "#5b21b6", "#86198f", "#44403c"};

/// FNV-1a, 32 bits: spreads ids over the colours, nothing more.
std::uint32_t spread(std::string_view text) {
    std::uint32_t hash = 2166136261U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return hash;
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '&':
            out += "&amp;";
            break;
        default:
            out += c;
        }
    }
    return out;
}

} // namespace

std::string initials_svg(const std::string& display_name, const std::string& stable_id) {
    const std::string_view colour = colours[spread(stable_id) % colours.size()];
    std::string svg =
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 128 128" role="img">)";
    svg += R"(<rect width="128" height="128" fill=")" + std::string{colour} + R"("/>)";
    svg += R"(<text x="64" y="64" dy="0.35em" text-anchor="middle" fill="#fff" font-size="52" )"
           R"(font-family="system-ui, sans-serif">)";
    svg += escaped(initials(display_name)) + "</text></svg>";
    return svg;
}

} // namespace usershell::manage
