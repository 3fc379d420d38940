#include "manage/avatar.hpp"

#include "crypto/token.hpp"
#include "manage/image.hpp"
#include "manage/initials_avatar.hpp"
#include "manage/page.hpp"
#include "manage/profile.hpp"
#include "store/avatars.hpp"

namespace usershell {
namespace {

constexpr std::size_t max_avatar_bytes = 262'144;

std::string avatar_error(const Multipart& multipart, ImageCheck& image) {
    const auto file = multipart.files.find("Avatar");
    if (file == multipart.files.end() || file->second.bytes.empty()) return "Choose a picture.";
    if (file->second.bytes.size() > max_avatar_bytes) return "A picture has at most 256 KiB.";
    image = check_image(file->second.bytes);
    return image.error;
}

/// RFC 9110, 13.1.2: a list, compared weakly (nginx weakens the tag of what it compresses). Our
/// tags hold no comma and no quote, so that one found is one listed.
bool names(const std::string& if_none_match, const std::string& etag) {
    return if_none_match == "*" || if_none_match.find(etag) != std::string::npos;
}

Response picture(const Call& call, std::string bytes, const std::string& media_type,
                 const std::string& etag) {
    Response response;
    response.set("ETag", etag);
    response.set("Cache-Control", "private, no-cache");
    if (names(call.request.header("if-none-match").value_or(""), etag)) {
        response.status = 304;
        return response;
    }
    response.set("Content-Type", media_type);
    response.set("X-Content-Type-Options", "nosniff");
    response.set("Content-Disposition", "inline");
    response.body = std::move(bytes);
    return response;
}

std::string quoted(const std::string& text) { return '"' + text + '"'; }

} // namespace

Response save_avatar(Manage& manage, Call& call) {
    call.lease.give_back(); // decoding may take its time
    ImageCheck image;
    ProfileForm form;
    form.avatar_error = avatar_error(call.multipart, image);
    if (!form.avatar_error.empty()) return render_profile(manage, call, form);

    const std::string& bytes = call.multipart.files.find("Avatar")->second.bytes;
    const std::string id = random_uuid();
    const AvatarBox box{manage.web_ring};
    save_avatar(call.lease, call.user(), {id, image.media_type, box.seal(call.user(), id, bytes)});
    return see_other(profile_path, Notice::avatar_saved);
}

Response remove_avatar(Manage& manage, Call& call) {
    remove_avatar(call.lease, call.user());
    return render_profile(manage, call, {});
}

Response show_avatar(Manage& manage, Call& call) {
    if (const auto stored = find_avatar(call.lease, call.user())) {
        const AvatarBox box{manage.web_ring};
        if (auto bytes = box.open(call.user(), stored->id, stored->sealed)) {
            return picture(call, *std::move(bytes), stored->media_type, quoted(stored->id));
        }
    }
    std::string svg = initials_svg(call.caller().display_name, call.user().text());
    const std::string etag = quoted(base64url(token_hash("avatar-etag", svg)));
    return picture(call, std::move(svg), "image/svg+xml; charset=utf-8", etag);
}

} // namespace usershell
