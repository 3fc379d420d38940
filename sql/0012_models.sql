-- Oldest program that can run on it: 0.1.0
--
-- Models of a provider.

CREATE TABLE usershell.models (
    owner_id     uuid NOT NULL,
    provider_id  uuid NOT NULL,
    model_id     text COLLATE "C" NOT NULL
                 CHECK (char_length(model_id) BETWEEN 1 AND 200 AND model_id !~ '[\x01-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'),
    position     integer NOT NULL CHECK (position > 0),
    display_name text NOT NULL
                 CHECK (char_length(display_name) BETWEEN 1 AND 200
                     AND display_name !~ '[\x01-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'
                     AND display_name ~ '[^\x01-\x20\x7f-\xa0\xad\u034f\u061c\u115f-\u1160\u1680\u17b4-\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff]'),
    capabilities text NOT NULL CHECK (capabilities ~ '^[a-z]+(,[a-z]+)*$' AND octet_length(capabilities) <= 400),
    is_enabled   boolean NOT NULL DEFAULT true,
    PRIMARY KEY (owner_id, provider_id, model_id),
    FOREIGN KEY (owner_id, provider_id) REFERENCES usershell.providers ON DELETE CASCADE
);
COMMENT ON COLUMN usershell.models.position IS 'a new one is last; the person orders them, and chats and tests begin with the first that is enabled';

CREATE TRIGGER bound_rows BEFORE INSERT ON usershell.models FOR EACH ROW EXECUTE FUNCTION usershell.bound_rows(20);

-- A tool calls `handle/model` or `model@handle`. A model whose own id reads like that, with the handle of another provider, would be
-- called in its place: to add one takes the password, and is an event as a taken handle is.
CREATE FUNCTION usershell.guard_model_name() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $function$
BEGIN
    IF EXISTS (
        SELECT FROM (SELECT p.handle FROM usershell.providers p WHERE p.owner_id = NEW.owner_id AND p.id <> NEW.provider_id
                      UNION ALL
                     SELECT f.handle FROM usershell.freed_handles f WHERE f.owner_id = NEW.owner_id) of_others
         WHERE starts_with(NEW.model_id, of_others.handle || '/') OR right(NEW.model_id, length(of_others.handle) + 1) = '@' || of_others.handle)
    THEN
        PERFORM usershell.require_password();
        PERFORM usershell.note_event(NEW.owner_id, 'handle_taken', left(NEW.model_id, 200), '', '');
    END IF;
    RETURN NULL;
END
$function$;
CREATE TRIGGER guard_model_name AFTER INSERT ON usershell.models FOR EACH ROW EXECUTE FUNCTION usershell.guard_model_name();
