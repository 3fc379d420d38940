"""The avatar through nginx: upload, removal, and strict headers for its owner alone. Formats of pictures:
unit_image; the form and the tag: cases/profile.case; sealed bytes: the attack suite."""

import unittest

from harness import pictures
from harness.pictures import jpeg, png
from harness.scenes import PROFILE
from harness.suite import shared_stack

AVATAR = f"{PROFILE}/avatar"
MOST = 262_144


def setUpModule():
    global stack
    stack = shared_stack(manage=2, execute=2, mail=True)


def upload(client, content, **facts):
    return client.upload(AVATAR, "Avatar", content, PROFILE, **facts)


def is_initials(answer):
    return answer.status == 200 and answer.headers["content-type"].startswith("image/svg+xml")


class Avatar(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()

    def test_the_type_is_what_the_bytes_are(self):
        for content, served, facts in (
            (png(), "image/png", {"name": "me.jpg", "kind": "image/jpeg"}),
            (jpeg(64, 40), "image/jpeg", {"name": "../../etc/passwd", "kind": "text/html"}),
            (pictures.png_of_size(MOST), "image/png", {}),
        ):
            answer = upload(self.client, content, **facts)
            self.assertEqual((answer.status, answer.headers.get("location")), (303, PROFILE))
            shown = self.client.get(AVATAR)
            self.assertEqual((shown.headers["content-type"], shown.body), (served, content))
            self.assertEqual(shown.headers["x-content-type-options"], "nosniff")
            self.assertIn("default-src 'none'", shown.headers["content-security-policy"])

    def test_what_is_no_good_picture_or_too_large_leaves_the_old_one(self):
        upload(self.client, png())
        for content, error in (
            (pictures.png_of_size(MOST + 1), "A picture has at most 256 KiB."),
            (png() + b"PK\x03\x04" + bytes(64), ""),
            (png()[:-12], ""),
        ):
            answer = upload(self.client, content)
            self.assertEqual(answer.status, 200)
            self.assertIn(f'data-testid="avatar-error">{error}', answer.text)
        answer = upload(self.client, bytes(400_000))  # more than nginx lets through
        self.assertEqual(answer.status, 413)
        self.assertIn(answer.headers["x-request-id"], answer.text)
        self.assertEqual(self.client.get(AVATAR).body, png())

    def test_is_shown_to_its_owner_alone_until_it_is_removed(self):
        upload(self.client, png())
        self.assertIn('data-testid="avatar-remove"', self.client.get(PROFILE).text)
        self.assertEqual(stack.visitor().get(AVATAR).status, 302)
        self.assertTrue(is_initials(stack.newcomer().get(AVATAR)))
        for _ in range(2):
            removed = self.client.form(f"{AVATAR}/remove", {}, page=PROFILE)
            self.assertEqual(removed.status, 200)
            self.assertNotIn('data-testid="avatar-remove"', removed.text)
        self.assertTrue(is_initials(self.client.get(AVATAR)))
