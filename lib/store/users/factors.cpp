#include "store/users/factors.hpp"

#include "store/database/run.hpp"

#include <array>
#include <string_view>

namespace usershell::store {

namespace {

const Statement state{"sign_in_state",
                      by_auth,
                      {"SELECT security_stamp, email, is_proven, lacking, ring_key_id, salt FROM "
                       "usershell.sign_in_state($1, $2, $3)"}};

const Statement take{"take_code", by_auth, {"SELECT usershell.take_code($1, $2, $3, $4) AS wait"}};

const Statement show{
    "show_code", by_auth, {"SELECT usershell.show_code($1, $2, $3, $4, $5, $6) AS is_right"}};

const Statement recover{
    "show_recovery", by_auth, {"SELECT usershell.show_recovery($1, $2, $3, $4, $5) AS is_right"}};

const Statement add{
    "add_factor",
    by_auth,
    {"SELECT usershell.add_factor($1, $2, $3, $4, $5, $6::bytea[], $7) AS outcome"}};

const Statement remove{
    "remove_factor", by_auth, {"SELECT usershell.remove_factor($1, $2) AS is_removed"}};

const Statement make_codes{"make_recovery_codes",
                           by_auth,
                           {"SELECT usershell.make_recovery_codes($1, $2::bytea[]) AS is_made"}};

const Statement own{
    "own_factors",
    by_auth,
    {"SELECT app_made_at, recovery_codes, lacking, takes_codes FROM usershell.own_factors()"}};

/// In the order of FactorStart.
constexpr std::array<std::string_view, 5> outcomes{"first", "added", "wrong", "ended",
                                                   "cap_reached"};

/// In the order of Lacking.
constexpr std::array<std::string_view, 2> kinds{"factor", "passkey"};

std::optional<Lacking> lacking(const Row& row) {
    if (row.is_null("lacking")) return std::nullopt;
    return row.one_of<Lacking>(kinds, "lacking");
}

/// A value of the type usershell.new_app.
std::string composite(const NewApp& app) {
    return composite_of({app.source.ring_key_id, bytea(app.source.salt), bytea(app.mask),
                         bytea(app.secret), app.code});
}

/// A value of the type usershell.new_passkey.
std::string composite(const NewPasskey& passkey) {
    return composite_of({passkey.id.text(), bytea(passkey.credential_id),
                         bytea(passkey.key.public_key), std::to_string(passkey.key.algorithm),
                         std::to_string(passkey.counter), passkey.key.is_synced ? "t" : "f",
                         passkey.rp_id, passkey.name});
}

} // namespace

std::optional<SignInState> sign_in_state(Lease& lease, const SignIn& sign_in) {
    return run(lease, state, sign_in.who.user, sign_in.id, Bytes{sign_in.visitor})
        .first([](const Row& row) {
            SignInState found{row.bytes("security_stamp"), row.get<std::string>("email"),
                              row.get<bool>("is_proven"), lacking(row)};
            if (!row.is_null("salt"))
                found.app = MaskSource{row.get<std::string>("ring_key_id"), row.bytes("salt")};
            return found;
        });
}

CodeVerdict show_code(Lease& lease, const SignIn& sign_in, const std::string& code,
                      const std::string& mask, const std::string& browser) {
    const auto wait = run(lease, take, sign_in.who.user, sign_in.id, Bytes{sign_in.visitor}, code)
                          .front()
                          .get<std::optional<std::chrono::seconds>>("wait");
    if (wait) return {false, wait};
    return {write(lease, show, sign_in.who.user, sign_in.id, Bytes{sign_in.visitor}, code,
                  Bytes{mask}, browser)
                .front()
                .get<bool>("is_right")};
}

bool show_recovery(Lease& lease, const SignIn& sign_in, const std::string& hash,
                   const std::string& browser) {
    return write(lease, recover, sign_in.who.user, sign_in.id, Bytes{sign_in.visitor}, Bytes{hash},
                 browser)
        .front()
        .get<bool>("is_right");
}

FactorStart add_factor(Lease& lease, const SignIn& sign_in,
                       const std::variant<NewApp, NewPasskey>& factor,
                       const std::vector<std::string>& recovery_hashes, bool ends_others) {
    const auto* const app = std::get_if<NewApp>(&factor);
    const auto* const passkey = std::get_if<NewPasskey>(&factor);
    return write(lease, add, sign_in.who.user, sign_in.id, Bytes{sign_in.visitor},
                 app == nullptr ? std::nullopt : std::optional{composite(*app)},
                 passkey == nullptr ? std::nullopt : std::optional{composite(*passkey)},
                 array_of(recovery_hashes, quoted_bytea), ends_others)
        .front()
        .one_of<FactorStart>(outcomes, "outcome");
}

bool remove_factor(Lease& lease, const SignInId& sign_in, const std::optional<PasskeyId>& passkey) {
    return write(lease, remove, sign_in, passkey).front().get<bool>("is_removed");
}

bool make_recovery_codes(Lease& lease, const SignInId& sign_in,
                         const std::vector<std::string>& hashes) {
    return write(lease, make_codes, sign_in, array_of(hashes, quoted_bytea))
        .front()
        .get<bool>("is_made");
}

namespace {

const Statement find{"find_passkey",
                     by_auth,
                     {"SELECT public_key, algorithm, is_synced FROM usershell.find_passkey($1)"}};

const Statement show_key{"show_passkey",
                         by_auth,
                         {"SELECT user_id, security_stamp, sign_in FROM "
                          "usershell.show_passkey($1, $2, $3, $4, $5, $6, $7, $8)"}};

const Statement of_sign_in{"passkeys_of_sign_in",
                           by_auth,
                           {"SELECT credential_id FROM usershell.passkeys_of_sign_in($1, $2, $3)"}};

const Statement rename_key{
    "rename_passkey", by_auth, {"SELECT usershell.rename_passkey($1, $2) AS is_renamed"}};

const Statement own_keys{"own_passkeys",
                         by_auth,
                         {"SELECT id, credential_id, name, is_synced, made_at, last_used_at FROM "
                          "usershell.own_passkeys()"}};

} // namespace

std::optional<PasskeyKey> find_passkey(Lease& lease, const std::string& credential_id) {
    return run(lease, find, Bytes{credential_id}).first([](const Row& row) {
        return PasskeyKey{row.bytes("public_key"), row.get<int>("algorithm"),
                          row.get<bool>("is_synced")};
    });
}

std::optional<SignIn> show_passkey(Lease& lease, const ShownPasskey& shown, Deed deed,
                                   const std::string& visitor, const std::string& browser,
                                   const std::optional<SignIn>& sign_in) {
    const auto id = sign_in ? std::optional{sign_in->id} : std::nullopt;
    return write(lease, show_key, id, Bytes{visitor}, word_of(deed), Bytes{shown.credential_id},
                 Bytes{shown.challenge}, shown.counter, shown.is_verified, browser)
        .first([&visitor](const Row& row) {
            return SignIn{{row.get<UserId>("user_id"), row.bytes("security_stamp")},
                          row.get<SignInId>("sign_in"),
                          visitor,
                          true};
        });
}

std::vector<std::string> passkeys_of(Lease& lease, const SignIn& sign_in) {
    return run(lease, of_sign_in, sign_in.who.user, sign_in.id, Bytes{sign_in.visitor})
        .all([](const Row& row) { return row.bytes("credential_id"); });
}

bool rename_passkey(Lease& lease, const PasskeyId& passkey, const std::string& name) {
    return write(lease, rename_key, passkey, name).front().get<bool>("is_renamed");
}

OwnFactors own_factors(Lease& lease) {
    Rows rows = run(lease, own);
    const Row row = rows.front();
    OwnFactors factors{row.get<std::optional<Timestamp>>("app_made_at"),
                       row.get<int>("recovery_codes"), lacking(row), row.get<bool>("takes_codes")};
    factors.passkeys = run(lease, own_keys).all([](const Row& key) {
        return OwnPasskey{.id = key.get<PasskeyId>("id"),
                          .credential_id = key.bytes("credential_id"),
                          .name = key.get<std::string>("name"),
                          .is_synced = key.get<bool>("is_synced"),
                          .made_at = key.get<Timestamp>("made_at"),
                          .last_used_at = key.get<std::optional<Timestamp>>("last_used_at")};
    });
    return factors;
}

} // namespace usershell::store
