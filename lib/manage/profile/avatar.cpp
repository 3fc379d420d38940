#include "base/text.hpp"
#include "crypto/token.hpp"
#include "domain/rules.hpp"
#include "images/image.hpp"
#include "manage/conditional.hpp"
#include "manage/profile/profile.hpp"
#include "pipeline/page.hpp"
#include "store/users/users.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::manage {

namespace {

Sentence avatar_error(Services& services, const UserId& user, std::string_view bytes,
                      images::ImageCheck& image) {
    if (bytes.empty()) return "Choose a picture."_en;
    if (bytes.size() > rules::max_avatar_bytes)
        return {"A picture has at most {limit}."_en,
                {{"limit", readable_size(rules::max_avatar_bytes)}}};
    const auto permit = services.decode_permits.take(user);
    image = images::check_image(permit, bytes);
    return image.error;
}

/// The tag of a saved picture: another picture has another id.
std::string tag_of(const std::string& id) { return '"' + id + '"'; }

web::Response picture(std::string bytes, const std::string& media_type, const std::string& etag) {
    web::Response response;
    response.set("Content-Type", media_type);
    response.set("Content-Disposition", "inline");
    response.body = std::move(bytes);
    return tagged(std::move(response), etag);
}

} // namespace

web::Response save_avatar(Services& services, pipeline::RequestContext& context) {
    context.lease.release(); // decoding may take its time
    images::ImageCheck image;
    ProfileForm form;
    const std::string_view bytes = context.file("Avatar");
    form.avatar_error = avatar_error(services, context.user(), bytes, image);
    if (!form.avatar_error.empty()) return render_profile(services, context, form);

    const std::string id = crypto::random_uuid();
    store::save_avatar(
        context.lease, context.user(),
        {id, image.media_type, crypto::seal_avatar(services.web_ring, context.user(), id, bytes)});
    return pipeline::see_other(profile_path, pipeline::Notice::avatar_saved);
}

web::Response remove_avatar(Services& services, pipeline::RequestContext& context) {
    store::remove_avatar(context.lease, context.user());
    return render_profile(services, context, {});
}

web::Response show_avatar(Services& services, pipeline::RequestContext& context) {
    // The id alone first: mostly the picture has not changed and need not be read.
    const auto id = store::avatar_id(context.lease, context.user());
    if (id && names_tag(context.request, tag_of(*id))) return not_modified(tag_of(*id));
    if (const auto stored = store::find_avatar(context.lease, context.user())) {
        if (auto bytes =
                crypto::open_avatar(services.web_ring, context.user(), stored->id, stored->sealed))
            return picture(*std::move(bytes), stored->media_type, tag_of(stored->id));
    }
    std::string svg = initials_svg(context.caller().display_name, context.user().text());
    const std::string etag = tag("avatar-etag", svg);
    if (names_tag(context.request, etag)) return not_modified(etag);
    return picture(std::move(svg), "image/svg+xml; charset=utf-8", etag);
}

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

/// The outlines of a text; empty where the face lacks one of its letters.
std::vector<const Outline*> outlines_of(std::string_view text) {
    std::vector<const Outline*> all;
    while (!text.empty()) {
        const std::string_view letter = first_code_point(text);
        const Outline* const outline = outline_of(letter);
        if (outline == nullptr) return {};
        all.push_back(outline);
        text.remove_prefix(letter.size());
    }
    return all;
}

// Of a square of 128: capitals of 38, in its middle.
constexpr double scale = .052;
constexpr int line = 83;

std::string drawn(const std::vector<const Outline*>& letters) {
    int width = 0;
    std::string paths;
    for (const Outline* const letter : letters) {
        paths += "<path transform='translate(" + std::to_string(width) + ")' d='";
        paths += std::string{letter->path} + "'/>";
        width += letter->width;
    }
    const int left = 64 - static_cast<int>(width * scale / 2);
    return "<g fill=\"#fff\" transform='translate(" + std::to_string(left) + " " +
           std::to_string(line) + ") scale(" + std::to_string(scale) + ")'>" + paths + "</g>";
}

} // namespace

// A picture has the system's faces alone, so its letters are drawn, where the pages' face has them.
std::string initials_svg(const std::string& display_name, const std::string& stable_id) {
    const std::string_view colour = colours[spread(stable_id) % colours.size()];
    const std::string text = initials(display_name);
    std::string svg =
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 128 128" role="img">)";
    svg += "<title>" + escaped(text) + "</title>";
    svg += R"(<rect width="128" height="128" fill=")" + std::string{colour} + R"("/>)";
    if (const auto letters = outlines_of(text); !letters.empty())
        svg += drawn(letters);
    else
        svg += R"(<text x="64" y="64" dy="0.35em" text-anchor="middle" fill="#fff" font-size="52" )"
               R"(font-family="system-ui, sans-serif">)" +
               escaped(text) + "</text>";
    return svg + "</svg>";
}

} // namespace usershell::manage
