-- Every right of every role in the schema, on one page. `usershellctl init` and `usershellctl migrate` revoke all rights and grant
-- these, in the transaction of the migrations. A change of this page needs a migration, because programs look at
-- migrations to know whether the database is behind. It takes no right that an older program on the same schema needs.
--
-- The owner of all objects is usershell_owner, which needs no grant. A function that is on no line is called by other
-- functions alone.

DO $revoke$
DECLARE
    given text;
BEGIN
    FOR given IN SELECT statement FROM usershell.rights_in_force WHERE statement LIKE 'GRANT %' LOOP
        EXECUTE regexp_replace(given, '^GRANT (.*) TO (.*)$', 'REVOKE \1 FROM \2 CASCADE');
    END LOOP;
END
$revoke$;

-- Every program compares itself with these tables when it starts, and reports its rings. None may write the tables.
GRANT USAGE ON SCHEMA usershell
    TO usershell_auth, usershell_manage, usershell_execute, usershell_opener, usershell_mail, usershell_rewrap;
GRANT SELECT ON usershell.migrations, usershell.installation, usershell.ring_keys
    TO usershell_auth, usershell_manage, usershell_execute, usershell_opener, usershell_mail, usershell_rewrap;
GRANT EXECUTE ON FUNCTION usershell.report_ring(text, text, text)
    TO usershell_auth, usershell_manage, usershell_opener, usershell_mail;
GRANT EXECUTE ON FUNCTION usershell.reach_standby()
    TO usershell_auth, usershell_manage, usershell_execute, usershell_opener, usershell_mail, usershell_rewrap;

-- usershell_manage: pages and changes of providers ------------------------------------------------------------------
-- It sees the rows of one user. The functions find whose session the connection presents.
GRANT EXECUTE ON FUNCTION
    usershell.sign_request_in(bytea),
    usershell.current_user_id()
    TO usershell_manage;

-- Of a person, the name. Credentials and the address are usershell_auth's.
GRANT SELECT (id, email, display_name), UPDATE (display_name) ON usershell.users TO usershell_manage;
GRANT EXECUTE ON FUNCTION usershell.pending_email() TO usershell_manage;
GRANT SELECT, INSERT, UPDATE, DELETE ON usershell.avatars TO usershell_manage;

-- A stored key is written and never read: sealed_key is in no SELECT. Neither is what is generated from it but has_key. An owner
-- or an id is in no UPDATE: no row moves. Of health a trigger lets it write the empty one alone.
GRANT SELECT (owner_id, id, name, handle, type, base_url, status, round_robin_accounts, has_key, key_hint, key_address,
              health_status, health_message, health_checked_at, cooldown_until, recent_errors, created_at),
      UPDATE (name, handle, type, base_url, status, round_robin_accounts, sealed_key, key_hint, key_address,
              health_status, health_message, health_checked_at, cooldown_until, recent_errors),
      INSERT (owner_id, id, name, type, base_url, round_robin_accounts, sealed_key, key_hint, key_address), DELETE
    ON usershell.providers TO usershell_manage;
GRANT SELECT (owner_id, provider_id, id, name, priority, is_enabled, has_key, key_hint, key_address,
              health_status, health_message, health_checked_at, cooldown_until, recent_errors, created_at),
      UPDATE (name, priority, is_enabled, sealed_key, key_hint, key_address,
              health_status, health_message, health_checked_at, cooldown_until, recent_errors),
      INSERT (owner_id, provider_id, id, name, priority, sealed_key, key_hint, key_address), DELETE
    ON usershell.accounts TO usershell_manage;
GRANT SELECT (owner_id, provider_id, name, key_address), UPDATE (sealed_key, key_address),
      INSERT (owner_id, provider_id, name, sealed_key, key_address), DELETE
    ON usershell.provider_headers TO usershell_manage;
GRANT SELECT, DELETE, UPDATE (display_name, capabilities, is_enabled, position),
      INSERT (owner_id, provider_id, model_id, position, display_name, capabilities)
    ON usershell.models TO usershell_manage;

-- A list's version is drawn by a trigger alone.
GRANT SELECT, INSERT (owner_id), UPDATE (build, document) ON usershell.provider_lists TO usershell_manage;

-- Functions that its statements on these tables use.
GRANT EXECUTE ON FUNCTION
    usershell.microseconds(timestamptz),
    usershell.random_stamp(),
    usershell.key_entered_for(text, text, text),
    usershell.next_in_turn(uuid)
    TO usershell_manage;

-- Keys of the earlier vault become providers, sealed as they are.
GRANT EXECUTE ON FUNCTION
    usershell.fold_legacy_vault(uuid, text[], text[], text[], boolean[]),
    usershell.count_legacy_entries()
    TO usershell_manage;

-- usershell_auth: credentials, by functions alone -------------------------------------------------------------------
-- Before there is an identity: who knows a password, or has a mailed link. The functions compare the hashes, which no role
-- reads, and throttle.
GRANT EXECUTE ON FUNCTION
    usershell.take_attempt(bytea[], integer[], interval[]),
    usershell.clear_attempts(bytea),
    usershell.forgive_attempt(bytea),
    usershell.note_throttled(text, text),
    usershell.find_password(text, text),
    usershell.take_guess(text, text),
    usershell.check_password(text, text[], text, text, text, bytea),
    usershell.find_recipient(text, text),
    usershell.ask_password_reset(uuid, bytea, bytea, double precision, uuid, bytea),
    usershell.find_password_reset(bytea),
    usershell.finish_password_reset(bytea, text)
    TO usershell_auth;

-- A second factor: of a sign-in whose password was right; and a passkey, which opens one itself.
GRANT EXECUTE ON FUNCTION
    usershell.sign_in_state(uuid, uuid, bytea),
    usershell.take_code(uuid, uuid, bytea, text),
    usershell.show_code(uuid, uuid, bytea, text, bytea, text),
    usershell.show_recovery(uuid, uuid, bytea, bytea, text),
    usershell.passkeys_of_sign_in(uuid, uuid, bytea),
    usershell.find_passkey(bytea),
    usershell.show_passkey(uuid, bytea, text, bytea, bytea, bigint, boolean, text)
    TO usershell_auth;

-- A session begins with a sign-in that check_password() has opened. Each later function is of the session's own user. New
-- credentials, the start of a change of address and the deletion take such a sign-in, too.
GRANT EXECUTE ON FUNCTION
    usershell.start_session(uuid, uuid, bytea, uuid, usershell.session_keys, boolean, double precision, double precision, text, text),
    usershell.sign_auth_request_in(bytea),
    usershell.renew_sign_in(uuid, usershell.session_keys),
    usershell.open_sessions(),
    usershell.end_session(uuid),
    usershell.sign_out_everywhere(),
    usershell.change_password(uuid, text, usershell.session_keys, uuid[]),
    usershell.pending_email(),
    usershell.start_email_change(uuid, text, text, bytea, double precision, uuid, bytea),
    usershell.confirm_email_change(text, bytea, usershell.session_keys, uuid, bytea),
    usershell.open_links(),
    usershell.end_link(text),
    usershell.latest_events(integer, integer),
    usershell.own_factors(),
    usershell.own_passkeys(),
    usershell.add_factor(uuid, uuid, bytea, usershell.new_app, usershell.new_passkey, bytea[], boolean),
    usershell.rename_passkey(uuid, text),
    usershell.remove_factor(uuid, uuid),
    usershell.make_recovery_codes(uuid, bytea[]),
    usershell.delete_own_user(uuid)
    TO usershell_auth;

-- Access tokens are made, changed and revoked here, where the password is, and used by usershell_opener.
GRANT EXECUTE ON FUNCTION
    usershell.make_token(uuid, uuid, bytea, bytea, jsonb, uuid, bytea),
    usershell.change_token(uuid, uuid, jsonb),
    usershell.renew_token(uuid, uuid, bytea, bytea, bytea, double precision),
    usershell.enable_token(uuid, uuid),
    usershell.disable_token(uuid),
    usershell.own_tokens(),
    usershell.revoke_token(uuid),
    usershell.token_choices(),
    usershell.own_usage(integer),
    usershell.usage_sums(integer, integer)
    TO usershell_auth;

-- Mails about events, and what has ended, of all users.
GRANT EXECUTE ON FUNCTION
    usershell.events_to_announce(integer),
    usershell.announce_event(uuid, uuid, uuid, bytea),
    usershell.sweep_sessions(integer),
    usershell.sweep_leftovers(integer),
    usershell.sweep_events(integer, interval),
    usershell.sweep_tokens(integer)
    TO usershell_auth;

-- usershell_opener: begins of calls and their keys, by functions alone -----------------------------------------------
-- They take a session's token for calls or an access token, then the id of a call that began with one. Keys come sealed.
GRANT EXECUTE ON FUNCTION
    usershell.begin_call(bytea, uuid, uuid, uuid, boolean),
    usershell.begin_token_call(bytea, bytea, uuid, text, text, bigint, bigint, text),
    usershell.load_provider(uuid, uuid, uuid, text, bigint, bigint),
    usershell.next_key(uuid, uuid, uuid, uuid, boolean)
    TO usershell_opener;

-- usershell_execute: what a call under way may do -------------------------------------------------------------------
-- It begins no call, and no envelope comes to it.
GRANT EXECUTE ON FUNCTION
    usershell.model_sees(uuid, uuid, text),
    usershell.renew_calls(uuid[], uuid[]),
    usershell.end_calls(jsonb)
    TO usershell_execute;

-- usershell_mail: the outbox ----------------------------------------------------------------------------------------
-- On columns only: a role that may delete from a table may lock it, and so stop mail from being queued.
GRANT SELECT (owner_id, id, kind, sealed, state, attempts, next_attempt_at, queued_at),
      UPDATE (sealed, state, attempts, next_attempt_at, reason)
    ON usershell.outbox TO usershell_mail;
GRANT EXECUTE ON FUNCTION usershell.mail_sent(uuid, uuid) TO usershell_mail;

-- usershell_rewrap: seals stored keys to another key of a ring, while an operator runs it ---------------------------
-- It opens envelopes by the files of its machine, and puts back what is sealed and signed by registered keys alone.
GRANT EXECUTE ON FUNCTION
    usershell.keys_to_rewrap(text, text, integer, uuid, text),
    usershell.swap_envelope(text, uuid, text, bytea, bytea)
    TO usershell_rewrap;
