-- Oldest program that can run on it: 0.1.0

-- A message with images is sent only to a model that reads them. Asked for such messages alone, so that a call without any
-- still begins with one statement.
CREATE FUNCTION usershell.model_sees(given_owner uuid, given_call uuid, given_model text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT EXISTS (
            SELECT FROM usershell.calls c
              JOIN usershell.models m ON m.owner_id = c.owner_id AND m.provider_id = c.provider_id
             WHERE c.owner_id = given_owner AND c.id = given_call AND c.expires_at > now()
               AND m.model_id = given_model AND 'vision' = ANY (string_to_array(m.capabilities, ',')));
    END;
COMMENT ON FUNCTION usershell.model_sees(uuid, uuid, text) IS
    'Has that model of the call''s provider the capability vision?';

GRANT EXECUTE ON FUNCTION usershell.model_sees(uuid, uuid, text) TO usershell_execute;
