// Sessions of signed-in users. Only the hash of a session's token is stored.
#pragma once

#include "base/ids.hpp"
#include "base/timestamp.hpp"
#include "store/database/database.hpp"
#include "store/users/passwords.hpp"
#include "store/users/users.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace usershell::store {

/// The user and session of a request.
struct Caller {
    UserId user;
    SessionId session;
    std::string email{};
    std::string display_name{};
    std::string antiforgery_key{}; ///< of this session, for the asking program's forms
    std::string frame_key{};       ///< usershell-auth's: of usershell-manage's forms
    std::optional<std::chrono::seconds> cookie_lifetime{}; ///< null: the browser's
    std::string calls_token_hash{}; ///< usershell-execute's: what its calls begin with
};

/// One statement: finds the good session of that token hash (not expired, not idle too long, begun
/// under the security stamp that its user has now, user not disabled), and renews its idle time.
/// The lease presents it from then on; without a session, none.
std::optional<Caller> sign_request_in(Lease& lease, const std::string& token_hash);
/// The same by the token of usershell-auth.
std::optional<Caller> sign_auth_request_in(Lease& lease, const std::string& auth_token_hash);

struct NewSession {
    SessionId id;
    SessionKeys keys;
    bool remembered = false;
    std::chrono::seconds idle{};
    std::chrono::seconds absolute{};
    std::string browser{};        ///< browser and system: a stored Sentence
    std::string client_address{}; ///< where it is signed in from
};

/// Starts a session by a sign-in for it; the lease presents it from then on. Throws Refusal
/// not_signed_in when the sign-in is not good any more: the password has changed, or the user is
/// disabled.
void start_session(Lease& lease, const SignIn& sign_in, const NewSession& session);

// Of the user whose session the lease presents:

/// False when they have none of that id.
bool end_session(Lease& lease, const SessionId& session);

struct OpenSession {
    SessionId id;
    std::string browser;
    std::string client_address;
    Timestamp since;
    Timestamp last_seen_at;
};
/// The good ones, those last seen first.
std::vector<OpenSession> open_sessions(Lease& lease);

/// Ends all sessions, and by a new security stamp whatever else was begun before: mailed links, a
/// pending change of address, sign-ins under way. Returns how many sessions.
int sign_out_everywhere(Lease& lease);

/// The password has just been given again, for another deed than a session: the session gets new
/// tokens, as after every rise in trust, and with them alone the sign-in is good for its deed. The
/// anti-forgery keys stay, so that forms open in other tabs go on. False: it has ended.
bool renew_sign_in(Lease& lease, const SignIn& sign_in, const SessionKeys& keys);

/// Removes expired sessions of all users, at most `limit` at a time; returns how many.
int sweep_sessions(Lease& lease, int limit);

} // namespace usershell::store
