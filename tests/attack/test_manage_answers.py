"""A thief of usershell-manage answers through the real nginx as he likes. A page of his can show anything; it can
set no cookie of another program, run no script of its own and have nginx do no more than pass it on."""

import book
from harness.scenes import PROFILE, SESSION
from harness.suite import Later
from responder import Answering
from scene import the_scene
from test_answers import HEADERS, MADE_UP, ORDERS, STATUSES, TYPES

_REFUSED = "nginx refuses an answer with a header outside its list"
_COOKIES = "nginx lets two cookies through: a notice, and the session's own again"
_MARK = "from-the-thief"
# A page has these two: a path of the site's own, and a file that is saved.
_ITS_OWN = ("send it elsewhere by two of a kind", "have the answer saved as a program")
_COOKIE_ROWS = (
    ("sign the browser in at usershell-auth", "__Host-usershell-auth={mark}; Path=/; Secure; HttpOnly; SameSite=Lax"),
    ("sign the browser in for calls", "__Host-usershell-calls={mark}; Path=/; Secure; HttpOnly; SameSite=Lax"),
    ("fix the session to one of its own", "{session}={mark}; Path=/; Secure; HttpOnly; SameSite=Lax"),
    ("let scripts read the session's cookie", "{session}={own}; Path=/; Secure; SameSite=Lax; x={mark}"),
    ("make the browser a known one", "__Host-usershell-device={mark}; Path=/; Secure; HttpOnly; SameSite=Lax"),
    ("take the visitor's form over", "__Host-usershell-visitor={mark}; Path=/; Secure; HttpOnly; SameSite=Lax"),
    ("write a notice of its own", "__Host-usershell-notice=Call-{mark}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=60"),
)


scene = Later(the_scene)


class Answers(Answering):
    who, pool, kind = book.MANAGE, "manage", "text/html; charset=utf-8"

    @classmethod
    def setUpClass(cls):
        scene.ada.get(PROFILE)
        super().setUpClass()

    @staticmethod
    def ask():
        return scene.ada.get(PROFILE)

    def refused(self, answer):
        self.assertIn(answer.status, (502, 503), answer.pairs)
        self.assertNotIn("thief", str(answer.pairs))

    def test_headers(self):
        for tried, header in HEADERS:
            if tried in _ITS_OWN:
                continue
            with self.subTest(tried=tried):
                self.refused(self.said(header, status="302 Found" if "Location" in header else "200 OK"))
                name = header.partition(":")[0].strip().replace(MADE_UP, "…")
                self.stopped(f"{tried} (`{name}`)", _REFUSED)

    def test_cookies(self):
        own = scene.ada.cookies[SESSION]
        for tried, cookie in _COOKIE_ROWS:
            with self.subTest(tried=tried):
                self.refused(self.said("Set-Cookie: " + cookie.format(mark=_MARK, session=SESSION, own=own)))
                self.stopped(tried, _COOKIES)
        self.assertEqual(scene.ada.cookies[SESSION], own)

    def test_scripts(self):
        for tried, kind in TYPES:
            if kind in ("text/html", ""):
                continue
            with self.subTest(kind=kind):
                self.refused(self.said("Cache-Control: no-store", kind=kind, body=b"from-the-thief"))
                self.stopped(f"answer with {tried} (`{kind}`)", "nginx passes on types that no page of ours runs")
        page = self.said("Cache-Control: no-store", body=b"<script src=/user/providers/mine></script>")
        policy = page.headers["content-security-policy"]
        self.assertIn(f"script-src {scene.stack.base_url}/assets/;", policy)
        self.assertIn("publickey-credentials-create=()", page.headers["permissions-policy"])
        self.stopped("have its page run a script from its own route against `/auth/*`", "the policy: scripts of `/assets/` alone")
        self.stopped("have its page make or use a passkey", "`Permissions-Policy` forbids it")

    def test_statuses(self):
        for status in (*STATUSES, "206 Partial Content", "301 Moved", "307 Temporary", "599 x"):
            with self.subTest(status=status):
                self.assertIn(self.said("Cache-Control: no-store", status=status).status, (502, 503))
        self.stopped("answer with a status that it never gives", "nginx refuses an answer with a status outside its list")

    def test_orders(self):
        self.orders(ORDERS)

    def test_what_it_is_handed(self):
        self.said("Cache-Control: no-store")
        mine = scene.ada.cookies
        self.assertEqual(self.thief.handed["HTTP_COOKIE"].strip("; "), f"{SESSION}={mine[SESSION]}")
        for name in ("__Host-usershell-auth", "__Host-usershell-calls", "__Host-usershell-device"):
            self.assertNotIn(mine[name], str(self.thief.handed))
        self.stopped("read other programs' cookies off a request", "nginx hands it its own cookie alone")

    def test_its_cookie_at_the_signing_in_program(self):
        token = scene.ada.cookies[SESSION]
        for cookie in (f"{SESSION}={token}", f"__Host-usershell-auth={token}"):
            answer = scene.stack.visitor().get("/user/settings/security", {"Cookie": cookie})
            self.assertEqual(answer.status, 302)
        self.stopped("use its cookie at usershell-auth, under either name", "two tokens, each good at one program")

    def test_what_is_let_through(self):
        """The tables are not empty because each answer is refused."""
        notice = "__Host-usershell-notice=name-saved; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=60"
        again = f"{SESSION}={scene.ada.cookies[SESSION]}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=1209600"
        answer = self.said(f"Set-Cookie: {notice}\r\nSet-Cookie: {again}\r\nETag: \"x\"\r\nLocation: {PROFILE}", status="303 x")
        self.assertEqual((answer.status, answer.set_cookies), (303, [notice, again]))
        scene.ada.cookies.pop("__Host-usershell-notice")
        for place in ("https://example.org/", "//example.org/", "/\\example.org", "x"):
            self.refused(self.said(f"Location: {place}", status="302 x"))
        self.stopped("send the browser to another site (`Location`)", "nginx passes on a path of the site's own")
