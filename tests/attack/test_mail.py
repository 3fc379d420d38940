"""A thief of usershell-mail has its role and the mail ring."""

import book
from harness.envelope import Unopened, open_envelope
from harness.suite import Later
from rights import OF_MAIL
from scene import Thief, the_scene

scene = Later(the_scene)
role = Later(lambda: scene.as_role("usershell_mail"))


class Mail(Thief):
    who = book.MAIL

    def test_the_database(self):
        self.refused([role], OF_MAIL, scene.facts)

    def test_a_stored_key_does_not_open_with_the_mail_ring(self):
        """Stolen from a backup, say."""
        ring, web = scene.ring("mail.secret"), scene.ring("web.public")
        envelope = scene.envelope()
        forms = [envelope, envelope[:1] + b"\2" + envelope[2:]]
        forms += [form[:2] + ring.active + form[18:] for form in forms]
        for form in forms:
            with self.assertRaises(Unopened):
                open_envelope(ring, web, scene.ada_id, form)
        self.stopped("open a stored key with the mail ring, under either kind and key id", "another ring's key pair")
