// Second factors: what a sign-in has shown besides the password, and what its user can show. The
// database compares (sql/0024_factors.sql). For usershell-auth; errors are those of run()
// (store/database/run.hpp).
#pragma once

#include "base/ids.hpp"
#include "base/timestamp.hpp"
#include "store/database/database.hpp"
#include "store/users/passwords.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace usershell::store {

/// The inputs of the mask of an app's secret, besides the user.
struct MaskSource {
    std::string ring_key_id;
    std::string salt;
};

/// A factor that the operator's policy wants and the user has not.
enum class Lacking { factor, passkey };

struct SignInState {
    std::string stamp;                ///< of its user
    std::string email;                ///< of its user
    bool is_proven = false;           ///< it has shown all that its user has to show
    std::optional<Lacking> lacking{}; ///< for its deed
    std::optional<MaskSource> app{};  ///< null: a code does not count, or they have no app
};
/// Null: the sign-in is good for nothing any more.
std::optional<SignInState> sign_in_state(Lease& lease, const SignIn& sign_in);

struct CodeVerdict {
    bool right = false;
    std::optional<std::chrono::seconds> wait{}; ///< too many wrong ones: it was not looked at
};
/// `code`: of the app; `browser`: who tries, in words. A right one is added to the sign-in.
CodeVerdict show_code(Lease& lease, const SignIn& sign_in, const std::string& code,
                      const std::string& mask, const std::string& browser);
/// `hash`: of a recovery code. A right one is used up.
bool show_recovery(Lease& lease, const SignIn& sign_in, const std::string& hash,
                   const std::string& browser);

struct NewApp {
    MaskSource source;
    std::string mask;   ///< 20 bytes
    std::string secret; ///< 20 bytes
    std::string code;   ///< the first that it shows
};
/// The public key of a credential.
struct PasskeyKey {
    std::string public_key; ///< SubjectPublicKeyInfo
    int algorithm = 0;      ///< of COSE
    bool is_synced = false;
};
/// Of what the browser said, once it is verified.
struct NewPasskey {
    PasskeyId id;
    std::string credential_id;
    PasskeyKey key;
    std::int64_t counter = 0;
    std::string rp_id;
    std::string name;
};

enum class FactorStart {
    first, ///< the recovery codes are stored, too
    added,
    wrong, ///< the code is not of that secret
    ended, ///< the sign-in is not good for it; or the credential is another person's
    cap_reached,
};
/// A passkey, or an app in place of an earlier one: by a sign-in for that deed, or for a session of
/// a user who lacks it, which then shows this one. `ends_others`: the user's other sessions.
FactorStart add_factor(Lease& lease, const SignIn& sign_in,
                       const std::variant<NewApp, NewPasskey>& factor,
                       const std::vector<std::string>& recovery_hashes, bool ends_others);
/// The app without a passkey. Ends the user's other sessions. False: it is still there.
bool remove_factor(Lease& lease, const SignInId& sign_in, const std::optional<PasskeyId>& passkey);
/// In place of the earlier ones. False: they are not stored.
bool make_recovery_codes(Lease& lease, const SignInId& sign_in,
                         const std::vector<std::string>& hashes);

// Passkeys. The caller has verified what the browser sent.

/// The public key of that credential; null: it is unknown.
std::optional<PasskeyKey> find_passkey(Lease& lease, const std::string& credential_id);

struct ShownPasskey {
    std::string credential_id;
    std::string challenge; ///< used by this, once
    std::int64_t counter = 0;
    bool is_verified = false; ///< the device has verified the person
};
/// Opens a sign-in, as check_password() does; or adds the passkey to `sign_in`. Null: the challenge
/// has been used, the passkey is unknown, another user's or a copy, or it is not verified and
/// there is no sign-in.
std::optional<SignIn> show_passkey(Lease& lease, const ShownPasskey& shown, Deed deed,
                                   const std::string& visitor, const std::string& browser,
                                   const std::optional<SignIn>& sign_in = {});

/// Credentials of the sign-in's user.
std::vector<std::string> passkeys_of(Lease& lease, const SignIn& sign_in);

/// False when they have none of that id.
bool rename_passkey(Lease& lease, const PasskeyId& passkey, const std::string& name);

struct OwnPasskey {
    PasskeyId id;
    std::string credential_id;
    std::string name;
    bool is_synced = false;
    Timestamp made_at{};
    std::optional<Timestamp> last_used_at{};
};
/// Of the user whose session the lease presents.
struct OwnFactors {
    std::optional<Timestamp> app_made_at; ///< null: there is no app
    int recovery_codes = 0;
    std::optional<Lacking> lacking{};
    bool takes_codes = true;            ///< of the app; else passkeys and recovery codes alone
    std::vector<OwnPasskey> passkeys{}; ///< the oldest first

    bool any() const { return app_made_at || !passkeys.empty(); }
};
OwnFactors own_factors(Lease& lease);

} // namespace usershell::store
