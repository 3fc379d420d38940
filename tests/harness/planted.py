"""Plants forged keys, addresses and mails in the store. A forger needs write access and the rings that
seal."""

from .envelope import Ring, seal
from .processes import finished
from .sanitizers import patient


def owner_of(stack, provider_id):
    return stack.sql(f"SELECT owner_id FROM usershell.providers WHERE id = '{provider_id}'")


def plant_key(stack, provider_id, kind, base_url, key):
    """The provider's own key becomes `key`, bound to that type and base URL."""
    web, vault = (Ring.load(stack.folder.sub("rings", r)) for r in ("web.secret", "vault.public"))
    fields = [provider_id, "provider", kind, base_url, key]
    envelope = seal("key", web, vault, owner_of(stack, provider_id), fields)
    plant_envelope(stack, provider_id, envelope)


def plant_envelope(stack, provider_id, envelope):
    unchecked = "SET session_replication_role = replica"  # by no trigger
    sql = f"UPDATE usershell.providers SET sealed_key = '\\x{envelope.hex()}'"
    stack.sql(f"{unchecked}; {sql} WHERE id = '{provider_id}'")


def plant_mail(stack, owner_id, mail_id, envelope):
    """A mail of that person's that waits to be sent."""
    columns = "owner_id, id, kind, sealed"
    values = f"'{owner_id}', '{mail_id}', 'notice', '\\x{envelope.hex()}'"
    stack.sql(f"INSERT INTO usershell.outbox ({columns}) VALUES ({values})")


def plant_file(stack, text, mode=0o600):
    """The path of a file with that text, the same one every time."""
    path = stack.folder.sub("planted")
    path.write_text(text, encoding="ascii")
    path.chmod(mode)
    return path


def started_with(stack, program, ring, path):
    """What the program left, started with that file for that ring, when it ended."""
    command = [*stack.pool_command(program)]
    command[command.index(f"--{ring.replace('.', '-')}") + 1] = path
    socket = () if program == "mail" else ("--socket", stack.folder.sub("unused.sock"))
    return finished([*command, *socket], timeout=patient(30))


def plant_address(stack, provider_id, base_url, key):
    """The provider points there, and its key opens for there."""
    sql = "UPDATE usershell.providers SET base_url = :'url' WHERE id = :'id' RETURNING type"
    told = stack.postgres.psql("-v", f"url={base_url}", "-v", f"id={provider_id}", sql=sql)
    plant_key(stack, provider_id, told.split()[0], base_url, key)
