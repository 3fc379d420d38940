#include "store/guards/statement_examples.hpp"

#include "store/providers/provider_list.hpp"

namespace usershell::store {

namespace {

std::string some_bytes(std::size_t size) { return literal_bytes(crypto::random_bytes(size)); }
std::string new_id() { return literal(crypto::random_uuid()); }

/// What it takes no function of the store to make.
void add_personal_things(const UserId& owner, const std::string& mail,
                         const std::string& link_hash) {
    const std::string who = literal(owner.text());
    const std::string hash = literal_bytes(link_hash);
    const std::string stamp = literal_bytes(stamped(owner).stamp);
    const std::string statements =
        "INSERT INTO usershell.email_changes VALUES (" + who +
        ", 'new@example.org', 'new@example.org', " + hash + ", " + stamp +
        ", now() + interval '1 hour');"
        "INSERT INTO usershell.email_attempts (owner_id, id, mailed) VALUES (" +
        who + ", " + new_id() +
        ", true);"
        "INSERT INTO usershell.password_resets VALUES (" +
        who + ", " + hash + ", " + stamp +
        ", false, now() + interval '1 hour');"
        "INSERT INTO usershell.avatars (owner_id, id, media_type, sealed) VALUES (" +
        who + ", " + new_id() +
        ", 'image/png', 'x');"
        "INSERT INTO usershell.outbox (owner_id, id, kind, sealed) VALUES (" +
        who + ", " + literal(mail) + ", 'notice', " + literal_bytes(some_envelope(2)) + ")";
    pqxx::connection connection{test_database().as_superuser()};
    pqxx::nontransaction{connection}.exec(statements);
}

} // namespace

Example::Example()
    : account{add_account("The key")},
      session{some_session()},
      mail{crypto::random_uuid()},
      link_hash{crypto::random_bytes(32)} {
    add_model("the-model");
    start_session(lease, stamped(owner), session);
    Acting executing{test_database().as_execute(), std::nullopt};
    const std::string& token = session.keys.calls_token_hash;
    const Call begun = begin_call(executing.lease, token).value();
    call_id = begun.id;
    next_rotation(executing.lease, begun, provider);
    const auto call = load_call_provider(executing.lease, token, provider);
    key = call->own_key->sealed.bytes();
    account_key = call->accounts.at(0).sealed.bytes();
    add_personal_things(owner, mail, link_hash);
    for (const char* table : {"providers", "accounts"})
        as_superuser(
            std::string{"UPDATE usershell."} + table +
                R"( SET recent_errors = '[{"at": 1, "message": "No."}]' WHERE owner_id = $1)",
            owner.text());
    list_version = read_list(lease, owner).version;
    keep_list(lease, owner, list_version, "build", "{}");
    as_superuser("INSERT INTO usershell.ring_keys (role, id) VALUES ('mail', '" +
                 std::string(32, '0') + "') ON CONFLICT DO NOTHING");
    as_superuser(
        "INSERT INTO usershell.rights VALUES ('GRANT what nobody has') ON CONFLICT DO NOTHING");
    as_superuser("INSERT INTO usershell.legacy_vault (owner_id, entry_id, kind, sealed) VALUES (" +
                 literal(owner.text()) + ", " + new_id() + ", 'unheard-of', " +
                 literal_bytes(some_envelope(3)) + ")");
    as_superuser("DELETE FROM usershell.rights WHERE statement = "
                 "'GRANT USAGE ON SCHEMA usershell TO usershell_mail'");
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

std::string literal_bytes(const std::string& bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text = "'\\x";
    for (const char letter : bytes) {
        const auto byte = static_cast<unsigned char>(letter);
        text += digits[byte >> 4U];
        text += digits[byte & 15U];
    }
    return text + "'";
}

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
    const std::string key = literal_bytes(example.key);
    const std::string account_key = literal_bytes(example.account_key);
    const std::string hash = literal_bytes(example.link_hash);
    const std::string stamp = literal_bytes(stamped(example.owner).stamp);
    const std::string email = literal(example.user.email.normalized);

    return {
        {"identify", {who}},
        {"ping", {}},
        {"lock_migrations", {}},
        {"read_migrations", {}},
        {"record_migration", {"'9999_example'", "'checksum'", "'0.1.0'"}},

        {"find_password", {email, "'$cost'"}},
        {"take_guess", {email, "'some hash'"}},
        {"check_password", {email, "'some hash'", "''", "''"}},
        {"latest_events", {who, "20", "5"}},
        {"list_events", {who}},
        {"note_throttled", {email, "'curl'"}},
        {"sweep_events", {"10", "60"}},
        {"add_user", {new_id(), "'A@example.org'", "'a@example.org'", "'A'", "'hash'"}},
        {"current_stamp", {who}},
        {"change_password", {who, stamp, "'hash'"}},
        {"set_display_name", {who, "'Name'"}},
        {"delete_own_user", {stamp}},

        {"sign_request_in", {literal_bytes(example.session.keys.token_hash)}},
        {"sign_request_in_with_list",
         {literal_bytes(example.session.keys.token_hash), "'build'", "true"}},
        {"start_session",
         {who, stamp, new_id(), some_bytes(32), some_bytes(32), some_bytes(32), "true", "60", "120",
          "'Firefox'", "'192.0.2.1'"}},
        {"open_sessions", {who}},
        {"end_session", {who, session}},
        {"end_other_sessions", {who, "NULL"}},
        {"reissue_session", {who, session, some_bytes(32), some_bytes(32), some_bytes(32)}},
        {"redraw_stamp", {who}},
        {"lock_session", {who, session}},
        {"restamp_session", {who, session, some_bytes(32), some_bytes(32), some_bytes(32)}},
        {"renew_sign_in", {who, session, some_bytes(32), some_bytes(32), some_bytes(32)}},
        {"sweep_sessions", {"10"}},

        {"installation_id", {}},
        {"list_ring_keys", {}},
        {"database_time", {}},
        {"restored_state", {}},
        {"retry_mail", {literal(example.mail)}},
        {"drop_mail", {literal(example.mail)}},
        {"count_ring_uses", {}},
        {"add_ring_key", {"'vault'", "'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'"}},
        {"forget_ring_key", {"'00000000000000000000000000000000'"}},
        {"keys_to_rewrap",
         {"'none'", "10", "'00000000-0000-0000-0000-000000000000'",
          "'00000000-0000-0000-0000-000000000000'"}},
        {"swap_envelope",
         {"'provider'", who, provider, literal_bytes(example.key), literal_bytes(example.key)}},
        {"fold_legacy_vault",
         {"'00000000-0000-0000-0000-000000000000'", "'openai'", "'OpenAI'",
          "'https://api.openai.com/v1'", "'f'"}},
        {"count_legacy_entries", {}},
        {"list_legacy_entries", {}},
        {"add_legacy_entry",
         {who, new_id(), "'openai'", "'A key'", "''", literal_bytes(some_envelope(3))}},
        {"missing_rights", {}},
        {"foreign_rights", {}},
        {"role_faults", {}},
        {"register_ring_key", {"'vault'", "'ffffffffffffffffffffffffffffffff'"}},
        {"forget_ring_keys", {}},

        {"select_providers", {who, "NULL"}},
        {"begin_list", {who}},
        {"find_list", {who, "'build'"}},
        {"keep_list", {who, literal_bytes(example.list_version), "'build'", "'{}'"}},
        {"find_provider_fields", {who, provider}},
        {"lock_owner", {who}},
        {"create_provider",
         {who, new_id(), "'P'", "'openai'", url, "false", key, "'hint'", "'openai x'", "2"}},
        {"lock_for_edit", {who, provider, "'openai'", url}},
        {"edit_provider", {who, provider, "'P'", "'openai'", url, "true"}},
        {"forget_provider_health", {who, provider}},
        {"forget_account_health", {who, provider}},
        {"find_key_facts", {who, provider}},
        {"set_provider_key", {who, provider, key, "'hint'", "'openai x'"}},
        {"set_provider_status", {who, provider, "'inactive'"}},
        {"delete_provider", {who, provider}},
        {"lock_provider", {who, provider}},

        {"find_model", {who, provider, "'the-model'"}},
        {"add_model", {who, provider, "'another'", "'Another'", "'code'", "2"}},
        {"set_model_enabled", {who, provider, "'the-model'", "NULL"}},
        {"set_model_name", {who, provider, "'the-model'", "'A name'"}},
        {"set_model_capabilities", {who, provider, "'the-model'", "'code,tools'"}},
        {"delete_model", {who, provider, "'the-model'"}},

        {"find_account", {who, provider, account}},
        {"add_account",
         {who, provider, new_id(), "'A'", "NULL", key, "'hint'", "'openai x'", "2", "1000"}},
        {"edit_account", {who, provider, account, "'A'", "NULL"}},
        {"set_account_key", {who, provider, account, key, "'hint'", "'openai x'"}},
        {"set_account_enabled", {who, provider, account, "false"}},
        {"delete_account", {who, provider, account}},

        {"begin_call", {calls_token, new_id(), provider}},
        {"renew_calls", {"ARRAY[" + who + "]::uuid[]", "ARRAY[" + call + "]::uuid[]"}},
        {"end_call", {who, call}},
        {"end_calls",
         {"ARRAY[" + who + "]::uuid[]", "ARRAY[" + call + "]::uuid[]", "ARRAY[NULL]::uuid[]",
          "ARRAY[NULL]::uuid[]"}},
        {"next_rotation", {who, call, provider}},
        {"judge_provider", {who, call, provider, url, "'unhealthy'", "'No.'", key, "30"}},
        {"conclude_call",
         {who, call, provider, url, "'unhealthy'", "'No.'", key, "30", account, "'unhealthy'",
          "'No.'", account_key, "NULL"}},
        {"judge_account",
         {who, call, provider, url, account, "'unhealthy'", "'No.'", account_key, "NULL"}},

        {"pending_email", {who}},
        {"count_email_attempts", {who}},
        {"add_email_attempt", {who, new_id(), "false"}},
        {"is_email_taken", {email}},
        {"start_email_change", {who, "'b@example.org'", "'b@example.org'", hash, "60"}},
        {"has_email_change", {who, hash}},
        {"cancel_email_change", {who}},
        {"consume_email_change", {who, "'new@example.org'", hash}},
        {"has_email", {who, email}},
        {"start_password_reset", {who, hash, "true", "60"}},
        {"find_recipient", {email, "'typed@example.org'"}},
        {"ask_password_reset", {who, stamp, hash, "60", new_id(), mail_bytes}},
        {"find_password_reset", {hash}},
        {"finish_password_reset", {hash, "'hash'"}},
        {"list_users", {}},
        {"find_user", {email}},
        {"operator_set_password", {who, "'hash'"}},
        {"set_disabled", {who, "true"}},
        {"end_all_sessions", {who}},
        {"redraw_all_stamps", {}},
        {"delete_all_sessions", {}},
        {"delete_all_password_resets", {}},
        {"delete_all_email_changes", {}},
        {"delete_all_mail", {}},
        {"delete_user", {who}},
        {"list_sessions", {who}},
        {"find_avatar", {who}},
        {"avatar_id", {who}},
        {"save_avatar", {who, new_id(), "'image/jpeg'", "'x'"}},
        {"remove_avatar", {who}},
        {"queue_mail", {who, new_id(), "'notice'", mail_bytes}},
        {"take_mail", {"60"}},
        {"outbox_state", {}},
        {"mail_sent", {who, mail}},
        {"mail_delayed", {who, mail, "60", "'Later.'"}},
        {"mail_failed", {who, mail, "'No.'"}},
        {"list_mail", {}},
        {"take_attempt", {"ARRAY[" + hash + "]::bytea[]", "'{5}'", "'{60}'"}},
        {"clear_attempts", {hash}},
        {"forgive_attempt", {hash}},
        {"sweep_leftovers", {"10"}},
    };
}

} // namespace usershell::store
