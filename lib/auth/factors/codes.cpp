#include "auth/factors/codes.hpp"

#include "auth/browser_words.hpp"
#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "crypto/token.hpp"

#include <algorithm>
#include <memory>
#include <span>

#include <qrencode.h>

namespace usershell::auth {
namespace {

constexpr std::size_t secret_bytes = 20; // RFC 4226, section 4, R6
constexpr std::size_t salt_bytes = 16;
constexpr std::size_t code_digits = 6;
constexpr std::size_t recovery_bytes = 15;
constexpr std::size_t recovery_letters = 24;
constexpr int recovery_count = 10;
constexpr std::size_t group = 4;

/// "abcd-efgh": easier to copy by hand.
std::string grouped_by(char separator, std::string_view letters) {
    std::string text;
    for (std::size_t at = 0; at < letters.size(); at += group) {
        if (at > 0) text += separator;
        text += letters.substr(at, group);
    }
    return text;
}

/// Without what people type between groups.
std::string plain(std::string_view typed) { return lower_ascii(without(without(typed, ' '), '-')); }

std::optional<std::string> mask_of(const Services& services, const UserId& user,
                                   const store::MaskSource& source) {
    return crypto::app_mask(services.auth_ring, source.ring_key_id, user, source.salt);
}

std::string recovery_hash(std::string_view letters) {
    return crypto::token_hash("recovery-code", letters);
}

Sentence show_app_code(Services& services, pipeline::RequestContext& context,
                       const store::SignIn& sign_in, const store::SignInState& state,
                       const std::string& code) {
    const auto& source = state.app;
    const auto mask = source ? mask_of(services, sign_in.who.user, *source) : std::nullopt;
    if (!mask) return wrong_code;
    const auto verdict =
        store::show_code(context.lease, sign_in, code, *mask, browser_of(context.request));
    if (verdict.right) return {};
    if (!verdict.wait) return wrong_code;
    return {"Too many wrong codes. Use a recovery code, or try again in {minutes} minutes."_en,
            {{"minutes",
              std::to_string(std::chrono::ceil<std::chrono::minutes>(*verdict.wait).count())}}};
}

struct QrCode {
    std::string path; ///< of SVG: the dark squares, each of size 1
    int size = 0;     ///< of a side
};

QrCode qr_code(const std::string& text) {
    const std::unique_ptr<QRcode, decltype(&QRcode_free)> code{
        QRcode_encodeString8bit(text.c_str(), 0, QR_ECLEVEL_M), &QRcode_free};
    if (!code) throw Error{"a text does not fit into a QR code"};
    QrCode drawn{{}, code->width};
    const auto side = static_cast<std::size_t>(code->width);
    const std::span<const unsigned char> squares{code->data, side * side};
    for (std::size_t at = 0; at < squares.size(); ++at)
        if ((squares[at] & 1U) != 0)
            drawn.path +=
                "M" + std::to_string(at % side) + " " + std::to_string(at / side) + "h1v1h-1z";
    return drawn;
}

} // namespace

Sentence show_code(Services& services, pipeline::RequestContext& context,
                   const store::SignIn& sign_in, const store::SignInState& state) {
    const std::string code = plain(context.form_value("Code"));
    if (code.empty()) return "Enter a code."_en;
    Sentence error = wrong_code;
    if (code.size() == code_digits && std::ranges::all_of(code, is_digit))
        error = show_app_code(services, context, sign_in, state, code);
    else if (code.size() == recovery_letters &&
             store::show_recovery(context.lease, sign_in, recovery_hash(code),
                                  browser_of(context.request)))
        error = {};
    if (!error.empty())
        log(Level::notice, "wrong code",
            {{"user", sign_in.who.user.text()}, {"client", context.request.client_address}});
    return error;
}

RecoveryCodes new_recovery_codes() {
    RecoveryCodes codes;
    for (int i = 0; i < recovery_count; ++i) {
        const std::string letters = base32(crypto::random_bytes(recovery_bytes));
        codes.texts.push_back(grouped_by('-', letters));
        codes.hashes.push_back(recovery_hash(letters));
    }
    return codes;
}

std::string app_secret(std::string_view field) {
    const auto brought = crypto::from_base64url(field);
    return brought && brought->size() == secret_bytes ? *brought
                                                      : crypto::random_bytes(secret_bytes);
}

void show_app_secret(web::PageData& data, const Services& services, const std::string& email,
                     const std::string& secret) {
    const std::string host{host_of(services.settings.base_url)};
    const std::string letters = base32(secret);
    const QrCode code =
        qr_code("otpauth://totp/" + percent_encoded(host) + ":" + percent_encoded(email) +
                "?secret=" + upper_ascii(letters) + "&issuer=" + percent_encoded(host));
    data.set("SECRET", crypto::base64url(secret)).set("SECRET_TEXT", grouped_by(' ', letters));
    data.set("QR_PATH", code.path).set("QR_SIZE", std::to_string(code.size));
}

store::NewApp new_app(const Services& services, const UserId& user, const std::string& secret,
                      std::string_view code) {
    store::NewApp app{{services.auth_ring.active.text(), crypto::random_bytes(salt_bytes)},
                      {},
                      secret,
                      without(code, ' ')};
    app.mask = mask_of(services, user, app.source).value();
    return app;
}

} // namespace usershell::auth
