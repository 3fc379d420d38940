#include "store/guards/statement_examples.hpp"
#include "store/providers/providers.hpp"
#include "store/tokens/access_tokens.hpp"
#include "store/users/signed_in.hpp"
namespace usershell::store {
namespace {
std::string some_bytes(std::size_t size) { return literal_bytes(crypto::random_bytes(size)); }
std::string new_id() { return literal(crypto::random_uuid()); }
/// With the same first half.
std::string of_another_body(const std::string& id) {
    return literal(id.substr(0, 18) + "-8000-000000000000");
}
std::string hex_literal(const std::string& bytes) { return "\\x" + hex(bytes); }
void add_personal_things(const UserId& owner, const std::string& mail,
                         const std::string& link_hash) {
    as_superuser(R"sql(
        WITH them AS (SELECT id, security_stamp AS stamp, now() + interval '1 hour' AS in_an_hour
                      FROM usershell.users WHERE id = $1),
             change AS (INSERT INTO usershell.email_changes
                        SELECT id, 'new@example.org', 'new@example.org', sha256($2::bytea), stamp, in_an_hour FROM them),
             attempt AS (INSERT INTO usershell.email_attempts (owner_id, id, mailed)
                         SELECT id, gen_random_uuid(), true FROM them),
             reset AS (INSERT INTO usershell.password_resets SELECT id, sha256($2::bytea), stamp, false, in_an_hour FROM them),
             avatar AS (INSERT INTO usershell.avatars (owner_id, id, media_type, sealed)
                        SELECT id, $3::uuid, 'image/png', 'x' FROM them)
        INSERT INTO usershell.outbox (owner_id, id, kind, sealed) SELECT id, $3::uuid, 'notice', $4::bytea FROM them)sql",
                 owner.text(), hex_literal(link_hash), mail, hex_literal(some_envelope(2)));
}
} // namespace
Example::Example()
    : account{add_account("The key")},
      session{some_session()},
      mail{crypto::random_uuid()},
      link_hash{crypto::random_bytes(32)} {
    add_model("the-model");
    set_header(lease, owner, provider, "x-tenant", some_key());
    start_session(*Vouching{}, proven(owner), session);
    lease.present(session.keys.token_hash);
    for (const char* deed : {"session", "token", "password", "address", "factor", "deletion"})
        sign_ins[deed] = literal(proven(owner, deed).id.text());
    Opening opening;
    const std::string& token = session.keys.calls_token_hash;
    call_id = begin_call(*opening, token, provider, TakesTurn::no)->call->id;
    add_token();
    add_factors();
    as_superuser(
        "INSERT INTO usershell.usage SELECT $1, usershell.utc_day() - ago, $2, $3, 'm', 1, 0, "
        "0, 1, 1 FROM generate_series(0, 500, 500) ago",
        owner.text(), access_token.text(), provider.text());
    as_superuser("INSERT INTO usershell.rotations VALUES ($1, $2, 1)", owner.text(),
                 provider.text());
    const std::string sealed = "SELECT sealed_key FROM usershell.";
    key = bytes_of(value<std::string>(sealed + "providers WHERE id = $1", provider.text()));
    account_key = bytes_of(value<std::string>(sealed + "accounts WHERE id = $1", account.text()));
    add_personal_things(owner, mail, link_hash);
    for (const char* table : {"providers", "accounts"})
        as_superuser(
            std::string{"UPDATE usershell."} + table +
                R"( SET recent_errors = '[{"at": 1, "message": "No."}]' WHERE owner_id = $1)",
            owner.text());
    as_superuser("INSERT INTO usershell.events (owner_id, id, kind, announced_at) "
                 "VALUES ($1, $2, 'handle_changed', NULL)",
                 owner.text(), event_id);
    as_superuser("INSERT INTO usershell.freed_handles VALUES ($1, 'freed')", owner.text());
    list_version = read_list(lease, owner).version;
    keep_list(lease, owner, list_version, "build", "{}");
    as_superuser("INSERT INTO usershell.ring_keys (role, id) VALUES ('mail', repeat('0', 32)) "
                 "ON CONFLICT DO NOTHING");
    as_superuser("INSERT INTO usershell.machine_rings VALUES ('one', 'usershell_manage', 'vault', "
                 "repeat('0', 32)) ON CONFLICT DO NOTHING");
    as_superuser(
        "INSERT INTO usershell.rights VALUES ('GRANT that is missing') ON CONFLICT DO NOTHING");
    as_superuser("INSERT INTO usershell.legacy_vault (owner_id, entry_id, kind, sealed) "
                 "VALUES ($1, gen_random_uuid(), 'unheard-of', $2::bytea)",
                 owner.text(), hex_literal(some_envelope(3)));
    as_superuser("DELETE FROM usershell.rights WHERE statement = "
                 "'GRANT USAGE ON SCHEMA usershell TO usershell_mail'");
}
void Example::add_token() {
    const auto made = crypto::new_access_token(crypto::random_id<InstallationId>());
    proof = made.proof;
    Vouching auth{owner};
    const TokenLimits limits{.name = "n", .requests_a_minute = 100, .lifetime = 1h};
    make_token(auth.lease, proven(owner, "token").id, access_token, proof, limits, {});
    Opening opening;
    token_call_id = begin_token_call(*opening, {proof, "chat", ""})->call->id;
}
// The code of the next half minute is right for the longest time.
void Example::add_factors() {
    Vouching auth{owner};
    add_factor(auth.lease, proven(owner, "factor"), app, {link_hash}, false);
    as_superuser(
        "UPDATE usershell.sign_ins SET shown = array_append(shown, 'code') WHERE owner_id = $1",
        owner.text());
    const SignIn half = proven(owner);
    sign_ins["half"] = literal(half.id.text());
    as_superuser("INSERT INTO usershell.passkeys (owner_id, id, credential_id, public_key, "
                 "algorithm, counter, is_synced, rp_id, name) "
                 "VALUES ($1, $2, $3::bytea, 'x', -7, 1, false, 'example.org', 'n')",
                 owner.text(), passkey, hex_literal(link_hash));
    app.code = code_of(app, 1);
    as_superuser("SELECT usershell.take_code($1, $2, 'visitor', $3)", owner.text(), half.id.text(),
                 app.code);
}
void present(pqxx::work& transaction, const std::string& token_hash) {
    libpqxx::query(transaction, "SELECT set_config('usershell.session', $1, false)",
                   hex(token_hash));
}
pqxx::result execute(pqxx::work& transaction, const std::string& sql,
                     const std::vector<std::string>& parameters) {
    std::string list;
    for (const std::string& parameter : parameters) list += (list.empty() ? "(" : ", ") + parameter;
    transaction.exec("DEALLOCATE ALL");
    transaction.exec("PREPARE example AS " + sql);
    return transaction.exec("EXECUTE example" + (list.empty() ? "" : list + ")"));
}
std::string literal(const std::string& text) { return "'" + text + "'"; }
std::string literal_bytes(const std::string& bytes) { return literal(hex_literal(bytes)); }
// Caps are as low as they can be, so that one row more than the user's own would reach them.
Examples examples_of(const Example& example) {
    const std::string who = literal(example.owner.text());
    const std::string provider = literal(example.provider.text());
    const std::string account = literal(example.account.text());
    const std::string session = literal(example.session.id.text());
    const std::string mail = literal(example.mail);
    const std::string mail_bytes = literal_bytes(some_envelope(2));
    const std::string call = literal(example.call_id);
    const std::string calls_token = literal_bytes(example.session.keys.calls_token_hash);
    const std::string url = literal(some_fields().base_url);
    const auto shown = [&](const std::string& of, const std::string& of_key) {
        return "jsonb_build_object('provider', " + provider + ", 'base_url', " + url +
               ", 'account', " + of + ", 'key', sha256(" + of_key +
               ")::text, 'status', 'unhealthy', 'message', 'No.', 'cooldown', 30)";
    };
    const std::string key = literal_bytes(example.key);
    const std::string account_key = literal_bytes(example.account_key);
    const std::string hash = literal_bytes(example.link_hash);
    const std::string stamp = literal_bytes(stamped(example.owner).stamp);
    const std::string new_keys = literal(composite(some_keys()));
    const std::string email = literal(example.user.email.normalized);
    const std::string access_token = literal(example.access_token.text());
    const std::string half = example.sign_ins.at("half");
    const std::string mask = literal_bytes(example.app.mask);
    const std::string code = literal(example.app.code);
    const std::string app = "ROW(" + literal(example.app.source.ring_key_id) + ", " +
                            literal_bytes(example.app.source.salt) + ", " + mask + ", " +
                            literal_bytes(example.app.secret) + ", " + code +
                            ")::usershell.new_app";
    const std::string recovery = "ARRAY[" + hash + "]::bytea[]";
    Examples examples{
        {"record_migration", {"'9999_example'", "'checksum'", "'0.1.0'"}},
        {"find_password", {email, "'$cost'"}},
        {"take_guess", {email, "'some hash'"}},
        {"check_password", {email, "'{some hash}'", "''", "''", "'session'", "'\\x01'"}},
        {"sign_in_state", {who, half, "'visitor'"}},
        {"take_code", {who, half, "'visitor'", code}},
        {"show_code", {who, half, "'visitor'", code, mask, "''"}},
        {"show_recovery", {who, half, "'visitor'", hash, "''"}},
        {"remove_factor", {example.sign_ins.at("factor"), "NULL"}},
        {"count_stray_passkeys", {"'shell.example.org'"}},
        {"find_passkey", {hash}},
        {"show_passkey", {half, "'visitor'", "'session'", hash, "'challenge'", "2", "true", "''"}},
        {"passkeys_of_sign_in", {who, half, "'visitor'"}},
        {"add_factor",
         {who, example.sign_ins.at("factor"), "'visitor'", app, "NULL", recovery, "true"}},
        {"rename_passkey", {literal(example.passkey), "'Name'"}},
        {"make_recovery_codes", {example.sign_ins.at("factor"), recovery}},
        {"latest_events", {"20", "5"}},
        {"note_throttled", {email, "'curl'"}},
        {"sweep_events", {"10", "604800"}},
        {"add_user", {new_id(), "'A@example.org'", "'a@example.org'", "'A'", "'hash'"}},
        {"change_password", {example.sign_ins.at("password"), "'hash'", new_keys, "'{}'"}},
        {"make_token",
         {example.sign_ins.at("token"), new_id(), some_bytes(12), some_bytes(32),
          R"('{"name": "n", "requests_a_minute": 1, "stored_objects": false, "lifetime": 60}')",
          new_id(), mail_bytes}},
        {"change_token",
         {example.sign_ins.at("token"), access_token,
          R"('{"name": "n", "requests_a_minute": 1, "stored_objects": false, "lifetime": 60}')"}},
        {"renew_token",
         {example.sign_ins.at("token"), access_token, literal_bytes(example.proof.selector),
          some_bytes(12), some_bytes(32), "60"}},
        {"enable_token", {example.sign_ins.at("token"), access_token}},
        {"disable_token", {access_token}},
        {"end_link", {"'email-change'"}},
        {"events_to_announce", {"10"}},
        {"announce_event", {who, literal(example.event_id), new_id(), mail_bytes}},
        {"revoke_token", {access_token}},
        {"own_usage", {"30"}},
        {"usage_sums", {"30", "20"}},
        {"sweep_tokens", {"10"}},
        {"operator_revoke_tokens", {who, access_token, "NULL"}},
        {"set_display_name", {who, "'Name'"}},
        {"delete_own_user", {example.sign_ins.at("deletion")}},
        {"sign_auth_request_in", {literal_bytes(example.session.keys.auth_token_hash)}},
        {"sign_request_in", {literal_bytes(example.session.keys.token_hash)}},
        {"sign_request_in_with_list",
         {literal_bytes(example.session.keys.token_hash), "'build'", "true"}},
        {"start_session",
         {who, example.sign_ins.at("session"), "'visitor'", new_id(), new_keys, "true", "60", "120",
          "'Firefox'", "'192.0.2.1'"}},
        {"end_session", {session}},
        {"renew_sign_in", {example.sign_ins.at("token"), new_keys}},
        {"sweep_sessions", {"10"}},
        {"retry_mail", {literal(example.mail)}},
        {"drop_mail", {literal(example.mail)}},
        {"add_ring_key", {"'vault'", "'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'"}},
        {"forget_ring_key", {"'00000000000000000000000000000000'"}},
        {"next_avatar_of_ring_key", {"''", "'00000000-0000-0000-0000-000000000000'"}},
        {"swap_avatar", {who, literal(example.mail), "'\\x01'"}},
        {"keys_to_rewrap",
         {"'none'", "NULL", "10", "'00000000-0000-0000-0000-000000000000'",
          "'00000000-0000-0000-0000-000000000000'"}},
        {"swap_envelope",
         {"'provider'", who, provider, literal_bytes(example.key), literal_bytes(example.key)}},
        {"fold_legacy_vault",
         {"'00000000-0000-0000-0000-000000000000'", "'openai'", "'OpenAI'",
          "'https://api.openai.com/v1'", "'f'"}},
        {"add_legacy_entry",
         {who, new_id(), "'openai'", "'A key'", "''", literal_bytes(some_envelope(3))}},
        {"register_ring_key", {"'vault'", "'ffffffffffffffffffffffffffffffff'"}},
        {"select_providers", {who, "NULL"}},
        {"find_list", {who, "'build'"}},
        {"keep_list", {who, literal_bytes(example.list_version), "'build'", "'{}'"}},
        {"create_provider",
         {who, new_id(), "'P'", "'openai'", url, "false", key, "'hint'", "'openai x'", "2"}},
        {"made_by_another_body", {who, of_another_body(example.provider.text())}},
        {"account_by_another_body", {who, of_another_body(example.account.text())}},
        {"lock_for_edit", {who, provider, "'openai'", url}},
        {"edit_provider", {who, provider, "'P'", "'openai'", url, "true", "''"}},
        {"set_provider_key", {who, provider, key, "'hint'", "'openai x'"}},
        {"set_provider_status", {who, provider, "'inactive'"}},
        {"find_model", {who, provider, "'the-model'"}},
        {"add_model", {who, provider, "'another'", "'Another'", "'code'", "2"}},
        {"set_model_enabled", {who, provider, "'the-model'", "NULL"}},
        {"set_model_name", {who, provider, "'the-model'", "'A name'"}},
        {"set_model_capabilities", {who, provider, "'the-model'", "'code,tools'"}},
        {"set_model_position", {who, provider, "'the-model'", "1"}},
        {"delete_model", {who, provider, "'the-model'"}},
        {"find_account", {who, provider, account}},
        {"add_account",
         {who, provider, new_id(), "'A'", "NULL", key, "'hint'", "'openai x'", "2", "1000"}},
        {"edit_account", {who, provider, account, "'A'", "NULL"}},
        {"set_account_key", {who, provider, account, key, "'hint'", "'openai x'"}},
        {"set_account_enabled", {who, provider, account, "false"}},
        {"delete_account", {who, provider, account}},
        {"set_header", {who, provider, "'x-tenant'", key, "'openai x'"}},
        {"add_header", {who, provider, "'x-other'", key, "'openai x'", "2"}},
        {"delete_header", {who, provider, "'x-tenant'"}},
        {"begin_call", {calls_token, new_id(), provider, account, "true"}},
        {"begin_token_call",
         {literal_bytes(example.proof.selector), literal_bytes(example.proof.verifier), new_id(),
          "'chat'", "'192.0.0.0/16'", "10", "10", "'the-model'"}},
        {"load_provider",
         {who, literal(example.token_call_id), provider, "'the-model'", "10", "10"}},
        {"next_key", {who, call, provider, account, "true"}},
        {"model_sees", {who, call, "'the-model'"}},
        {"renew_calls", {"ARRAY[" + who + "]::uuid[]", "ARRAY[" + call + "]::uuid[]"}},
        {"end_calls",
         {"jsonb_build_array(jsonb_build_object('owner', " + who + ", 'call', " + call +
          ", 'health', jsonb_build_array(" + shown("NULL", key) + ", " +
          shown(account, account_key) + ")))"}},
        {"start_email_change",
         {example.sign_ins.at("address"), "'b@example.org'", "'b@example.org'", some_bytes(32),
          "60", new_id(), mail_bytes}},
        {"confirm_email_change", {"'new@example.org'", hash, new_keys, new_id(), mail_bytes}},
        {"start_password_reset", {who, hash, "true", "60"}},
        {"find_recipient", {email, "'typed@example.org'"}},
        {"ask_password_reset", {who, stamp, hash, "60", new_id(), mail_bytes}},
        {"find_password_reset", {hash}},
        {"finish_password_reset", {hash, "'hash'"}},
        {"find_user", {email}},
        {"operator_set_password", {who, "'hash'"}},
        {"set_disabled", {who, "true"}},
        {"save_avatar", {who, new_id(), "'image/jpeg'", "'x'"}},
        {"queue_mail", {who, new_id(), "'notice'", mail_bytes}},
        {"take_mail", {"60"}},
        {"mail_sent", {who, mail}},
        {"mail_delayed", {who, mail, "60", "'Later.'"}},
        {"mail_failed", {who, mail, "'No.'"}},
        {"take_attempt", {"ARRAY[" + hash + "]::bytea[]", "'{5}'", "'{60}'"}},
        {"clear_attempts", {hash}},
        {"forgive_attempt", {hash}},
        {"sweep_leftovers", {"10"}},
        {"report_ring", {"'one'", "'vault'", "repeat('0', 32)"}},
        {"next_app_of_ring_key",
         {"'000102030405060708090a0b0c0d0e0f'", "'00000000-0000-0000-0000-000000000000'"}},
        {"swap_app_mask",
         {who, literal_bytes(example.app.source.salt), "repeat('0', 32)", some_bytes(20),
          some_bytes(20)}},
        {"set_second_factor", {"'required'"}},
    };
    using Names = std::vector<const char*>;
    const std::vector<std::pair<std::vector<std::string>, Names>> alike{
        {{who},
         {"redraw_stamps", "delete_password_resets", "delete_email_changes",
          "delete_access_tokens"}},
        {{who},
         {"list_events", "begin_list", "lock_owner", "end_all_sessions", "delete_user",
          "list_sessions", "list_tokens", "find_avatar", "avatar_id", "remove_avatar"}},
        {{literal("")}, {"present_session", "find_object"}},
        {{},
         {"ping", "backend", "reach_standby", "forget_role_defaults", "read_migrations",
          "installation_id", "list_ring_keys"}},
        {{},
         {"open_sessions", "sign_out_everywhere", "pending_email", "open_links", "own_tokens",
          "own_factors", "own_passkeys", "token_choices"}},
        {{}, {"database_time", "restored_state", "count_ring_uses", "forget_ring_keys"}},
        {{}, {"count_legacy_entries", "list_legacy_entries", "missing_rights", "foreign_rights"}},
        {{}, {"role_faults", "list_users", "outbox_state", "list_mail", "list_machine_rings"}},
        {{},
         {"delete_all_mail", "connections_allowed", "connection_limits", "stale_collations",
          "some_base_urls"}},
        {{}, {"delete_recovery_codes", "read_policy", "tell_of_restored_factors"}},
        {{who}, {"find_factors", "reset_factors"}},
        {{who, provider},
         {"find_provider_fields", "forget_provider_health", "forget_account_health",
          "find_key_facts", "delete_provider", "lock_provider"}},
    };
    for (const auto& [parameters, names] : alike)
        for (const char* name : names) examples.emplace(name, parameters);
    return examples;
}
} // namespace usershell::store
