// Identifiers of stored things: random UUIDs (RFC 9562 version 4) in their lower-case text form.
// Each kind is a type of its own, so that an account's id can't be passed for a provider's.
// Values are immutable and may be shared between threads.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace usershell {

/// True for 8-4-4-4-12 lower-case hexadecimal digits, the only spelling accepted from outside.
inline bool is_uuid(std::string_view text) {
    constexpr std::string_view shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    if (text.size() != shape.size()) return false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const char c = text[i];
        const bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        if (shape[i] == '-' ? c != '-' : !digit) return false;
    }
    return true;
}

template <class Kind>
class Id {
public:
    /// Nothing unless `text` is a lower-case UUID: a malformed id names nothing and is answered
    /// 404.
    static std::optional<Id> parse(std::string_view text) {
        if (!is_uuid(text)) return std::nullopt;
        return Id{std::string{text}};
    }

    const std::string& text() const { return text_; }

    friend bool operator==(const Id&, const Id&) = default;
    // clang-tidy 14 takes the comparison with 0 in what the compiler makes of this for a null
    // pointer.
    friend auto operator<=>(const Id&, const Id&) = default; // NOLINT(modernize-use-nullptr)

private:
    explicit Id(std::string text) : text_{std::move(text)} {}

    std::string text_;
};

using UserId = Id<struct UserKind>;
using ProviderId = Id<struct ProviderKind>;
using AccountId = Id<struct AccountKind>;
using SessionId = Id<struct SessionKind>;
using PasskeyId = Id<struct PasskeyKind>;
/// Of a person for one deed (store/users/passwords.hpp).
using SignInId = Id<struct SignInKind>;
/// An entry of the earlier flat vault.
using VaultEntryId = Id<struct VaultEntryIdKind>;
using MailId = Id<struct MailIdKind>;
/// An access token, by which a tool of its owner calls.
using AccessTokenId = Id<struct AccessTokenKind>;
/// One deployment of this service: a database and the key rings that belong to it.
using InstallationId = Id<struct InstallationKind>;

/// The owner of global providers: the nil UUID, which no person ever has.
inline UserId global_owner() { return *UserId::parse("00000000-0000-0000-0000-000000000000"); }

} // namespace usershell
