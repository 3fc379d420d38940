-- Oldest program that can run on it: 0.1.0
--
-- Avatars.

CREATE TABLE usershell.avatars (
    owner_id    uuid PRIMARY KEY REFERENCES usershell.users ON DELETE CASCADE,
    id          uuid NOT NULL,
    media_type  text NOT NULL CHECK (media_type IN ('image/png', 'image/jpeg')),
    sealed      bytea NOT NULL CHECK (octet_length(sealed) <= 270000),
    ring_key_id text GENERATED ALWAYS AS (encode(substr(sealed, 2, 16), 'hex')) STORED,
    saved_at    timestamptz NOT NULL DEFAULT now()
);
-- Ciphertext does not compress.
ALTER TABLE usershell.avatars ALTER COLUMN sealed SET STORAGE EXTERNAL;
