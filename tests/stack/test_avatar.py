"""The avatar: what is accepted and what is not, how it is served, and that its bytes are stored
sealed to their user."""

import os
import re
import subprocess
import unittest

from harness import pictures
from harness.pictures import jpeg, png
from harness.stack import Stack

PROFILE = "/user/settings/profile"
AVATAR = f"{PROFILE}/avatar"
MOST = 262_144
ERROR = re.compile(r'id="avatar-error"[^>]*>([^<]*)<')
# What is wrong, and the bytes; every kind of bad picture is in tests/unit/images.
BAD = {
    "nothing": b"",
    "a page": b"<!doctype html><script>alert(1)</script>",
    "a PNG cut off": png()[:-20],
    "a JPEG with an archive behind it": jpeg() + b"PK\x03\x04" + bytes(64),
}


def setUpModule():
    global stack
    stack = Stack(manage=1, execute=1).start()
    unittest.addModuleCleanup(stack.stop)


def upload(client, content, **facts):
    return client.upload(AVATAR, "Avatar", content, PROFILE, **facts)


def is_initials(answer):
    return answer.status == 200 and answer.headers["content-type"].startswith("image/svg+xml")


class Upload(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = stack.client("ada@example.com")

    def assert_saved(self, content, served, **facts):
        answer = upload(self.client, content, **facts)
        self.assertEqual((answer.status, answer.headers.get("location")), (303, PROFILE))
        shown = self.client.get(AVATAR)
        self.assertEqual((shown.status, shown.headers["content-type"]), (200, served))
        self.assertEqual(shown.body, content)

    def error_of(self, content, **facts):
        """The message beside the field."""
        answer = upload(self.client, content, **facts)
        self.assertEqual(answer.status, 200)
        self.assertRegex(answer.text, r'name="Avatar"[^>]*aria-invalid="true"')
        return ERROR.search(answer.text)[1]

    def test_the_type_is_what_the_bytes_are(self):
        self.assert_saved(png(), "image/png", name="me.jpg", kind="image/jpeg")
        self.assert_saved(jpeg(64, 40), "image/jpeg", name="me.png", kind="text/html")
        self.assert_saved(png(4096, 1), "image/png", name="../../etc/passwd", kind="x")

    def test_256_kib_pass_and_one_byte_more_does_not(self):
        self.assert_saved(pictures.png_of_size(MOST), "image/png")
        error = self.error_of(pictures.png_of_size(MOST + 1))
        self.assertEqual(error, "A picture has at most 256 KiB.")
        self.assertEqual(len(self.client.get(AVATAR).body), MOST)

    def test_what_is_far_too_large_is_413(self):
        token = {"RequestVerificationToken": self.client.token(PROFILE)}
        for size in (330_000, 400_000):  # refused by the application; by nginx
            kind = {"Content-Type": "multipart/form-data; boundary=x", **token}
            answer = self.client.request("POST", AVATAR, b"x" * size, kind)
            self.assertEqual(answer.status, 413, size)
            self.assertTrue(answer.headers["content-type"].startswith("text/html"))
            self.assertIn(answer.headers["x-request-id"], answer.text)

    def test_what_is_no_good_picture_is_told_beside_its_field(self):
        self.assert_saved(png(), "image/png")
        for what, content in BAD.items():
            with self.subTest(what):
                self.assertTrue(self.error_of(content))
        self.assertEqual(self.client.get(AVATAR).body, png())

    def test_another_media_type_is_415(self):
        token = {"RequestVerificationToken": self.client.token(PROFILE)}
        answer = self.client.request("POST", AVATAR, png(), {"Content-Type": "image/png", **token})
        self.assertEqual(answer.status, 415)

    def test_without_the_token_is_400(self):
        kind = {"Content-Type": "multipart/form-data; boundary=x"}
        head = b'--x\r\nContent-Disposition: form-data; name="Avatar"; filename="a"\r\n\r\n'
        answer = self.client.request("POST", AVATAR, head + png() + b"\r\n--x--\r\n", kind)
        self.assertEqual(answer.status, 400)


class Serving(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = stack.client("zoe@example.com")

    def assert_cared_for(self, answer):
        self.assertEqual(answer.headers["cache-control"], "private, no-cache")
        self.assertEqual(answer.headers["x-content-type-options"], "nosniff")
        self.assertRegex(answer.headers["etag"], r'^"[^"]+"$')

    def test_with_validators_and_strict_headers(self):
        upload(self.client, png())
        answer = self.client.get(AVATAR)
        self.assert_cared_for(answer)
        self.assertIn("default-src 'none'", answer.headers["content-security-policy"])
        tag = answer.headers["etag"]
        again = self.client.get(AVATAR, {"If-None-Match": tag})
        self.assertEqual((again.status, again.body, again.headers["etag"]), (304, b"", tag))
        several = self.client.get(AVATAR, {"If-None-Match": f'"other", W/{tag}'})
        self.assertEqual(several.status, 304)
        self.assertEqual(self.client.get(AVATAR, {"If-None-Match": '"other"'}).body, png())
        head = self.client.request("HEAD", AVATAR)
        self.assertEqual((head.status, head.body, head.headers["etag"]), (200, b"", tag))
        upload(self.client, png(colour=(1, 2, 3)))
        self.assertNotEqual(self.client.get(AVATAR).headers["etag"], tag)

    def test_initials_until_there_is_a_picture_and_after_it_is_removed(self):
        client = stack.client("bo@example.com")
        client.form(PROFILE, {"DisplayName": "Øystein & Łukasz"}, page=PROFILE)
        answer = client.get(AVATAR)
        self.assertTrue(is_initials(answer))
        self.assert_cared_for(answer)
        self.assertIn(">ØŁ</text>", answer.text)
        tag = answer.headers["etag"]
        self.assertEqual(client.get(AVATAR, {"If-None-Match": tag}).status, 304)
        client.form(PROFILE, {"DisplayName": "<b>"}, page=PROFILE)
        self.assertNotIn("<b>", client.get(AVATAR).text)
        upload(client, png())
        self.assertIn('data-testid="avatar-remove"', client.get(PROFILE).text)
        removed = client.form(f"{AVATAR}/remove", {}, page=PROFILE)
        self.assertEqual(removed.status, 200)
        self.assertNotIn('data-testid="avatar-remove"', removed.text)
        self.assertTrue(is_initials(client.get(AVATAR)))
        self.assertEqual(client.form(f"{AVATAR}/remove", {}, page=PROFILE).status, 200)

    def test_only_to_whom_it_belongs(self):
        upload(self.client, png())
        answer = stack.client().get(AVATAR)
        self.assertEqual((answer.status, answer.body), (302, b""))
        self.assertTrue(is_initials(stack.client("eve@example.com").get(AVATAR)))


class Store(unittest.TestCase):
    def test_a_dump_has_none_of_its_bytes(self):
        client = stack.client("dumped@example.com")
        image = pictures.png_of_size(100_000, os.urandom(4099))
        self.assertEqual(upload(client, image).status, 303)
        dump = subprocess.run(
            ["pg_dump", "--inserts", "-h", stack.postgres.host, "-U", "postgres", "usershell"],
            check=True,
            capture_output=True,
        ).stdout
        self.assertGreater(len(dump), 2 * len(image))
        for start in range(0, len(image) - 16, 16):
            piece = image[start : start + 16]
            self.assertNotIn(piece.hex().encode(), dump, start)
        self.assertNotIn(b"IHDR".hex().encode(), dump)

    def test_a_row_given_to_another_user_does_not_open(self):
        mine, other = stack.client("mine@example.com"), stack.client("other@example.com")
        for client, colour in ((mine, (255, 0, 0)), (other, (0, 0, 255))):
            upload(client, png(colour=colour))
        stack.postgres.psql(
            sql="""
            WITH swapped AS (
                SELECT a.owner_id, b.id, b.media_type, b.sealed
                FROM usershell.avatars a JOIN usershell.avatars b ON a.owner_id <> b.owner_id
                WHERE (SELECT count(*) FROM usershell.users u WHERE u.id IN (a.owner_id, b.owner_id)
                       AND u.email IN ('mine@example.com', 'other@example.com')) = 2)
            UPDATE usershell.avatars a SET id = s.id, media_type = s.media_type, sealed = s.sealed
            FROM swapped s WHERE a.owner_id = s.owner_id"""
        )
        self.assertTrue(is_initials(mine.get(AVATAR)))
        self.assertTrue(is_initials(other.get(AVATAR)))
        self.assertEqual(upload(mine, png()).status, 303)
        self.assertEqual(mine.get(AVATAR).body, png())


if __name__ == "__main__":
    unittest.main()
