"""A thief of the executing program, or of the managing one, answers through the real nginx as he likes. What reaches a browser
of the first is data. A page of the second can show anything; it can set no cookie of another program, run no script of
its own and have nginx do no more than pass it on. nginx is the one of the stack; behind it a responder of the thief's."""

import itertools
import secrets
import socket
import ssl

import book
from harness.processes import run
from harness.scenes import CALLS, PROFILE, ROUTE, SESSION, ask
from harness.suite import Later
from scene import Answering, the_scene

_PATH = f"{ROUTE}/playground"
_POLICY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox"
_REFUSED = "nginx refuses an answer with a header outside its list"
_UNLISTED = "nginx refuses an answer with a status outside its list"
_MADE = "nginx makes it, and takes at most a number, an id or names of methods"
_TYPES = "nginx sends two media types, with `nosniff`, and forbids everything by its policy"
_HEAD = "Cache-Control: no-store"
_MARK = "from-the-thief"
_JSON = "application/json; charset=utf-8"

MADE_UP = secrets.token_hex(8)

# Headers by which an answer would do more than to be data.
HEADERS = (
    ("sign the browser in as somebody else", f"Set-Cookie: {SESSION}={_MARK}; Path=/; Secure"),
    ("plant a cookie in another spelling", f"SET-COOKIE : {SESSION}={_MARK}; Path=/; Secure"),
    ("send the browser elsewhere", f"Location: https://{_MARK}.example.org/"),
    ("send it elsewhere by two of a kind", f"Location: /{_MARK}\r\nLocation: /{_MARK}"),
    ("send it elsewhere after a while", f"Refresh: 0; url=https://{_MARK}.example.org/"),
    ("clear what the site has stored", 'Clear-Site-Data: "cookies", "storage"'),
    ("have it load a style sheet or script", f"Link: </{_MARK}>; rel=stylesheet"),
    ("move it to another server", f'Alt-Svc: h2="{_MARK}.example.org:443"'),
    ("widen a service worker's scope", f"Service-Worker-Allowed: /{_MARK}"),
    ("let other sites read the answer", f"Access-Control-Allow-Origin: https://{_MARK}.example.org"),
    ("let other sites read it with cookies", f"Access-Control-Allow-Credentials: true{_MARK}"),
    ("ask for a password", f'WWW-Authenticate: Basic realm="{_MARK}"'),
    ("have the answer saved as a program", f"Content-Disposition: attachment; filename={_MARK}.exe"),
    ("have reports sent to itself", f'Report-To: {{"group": "{_MARK}"}}'),
    ("name where reports go", f'Reporting-Endpoints: a="https://{_MARK}.example.org"'),
    ("have network errors told to itself", f'NEL: {{"report_to": "{_MARK}"}}'),
    ("end the site's insistence on TLS", "Strict-Transport-Security: max-age=0; from-the-thief"),
    ("put a laxer policy beside ours", f"Content-Security-Policy: script-src {_MARK}"),
    ("have policy violations reported", f"Content-Security-Policy-Report-Only: report-uri /{_MARK}"),
    ("switch `nosniff` off by a first value", f"X-Content-Type-Options: {_MARK}"),
    ("have the referrer told", f"Referrer-Policy: unsafe-url, {_MARK}"),
    ("let other sites embed the answer", f"Cross-Origin-Resource-Policy: {_MARK}"),
    ("leave the browser's isolation", f"Cross-Origin-Opener-Policy: {_MARK}"),
    ("allow what the site forbids its pages", f"Permissions-Policy: camera=*, {_MARK}"),
    ("pass the body off as compressed", f"Content-Encoding: {_MARK}"),
    ("have debuggers fetch a source map", f"SourceMap: /{_MARK}"),
    ("bind the session to a key of its own", f'Secure-Session-Registration: (ES256);path="/{_MARK}"'),
    ("switch on what browsers only try out", f"Origin-Trial: {_MARK}"),
    ("say who is signed in", f"Set-Login: logged-in, {_MARK}"),
    ("do what a browser learns next year", f"X-{MADE_UP}: {_MARK}"),
    ("do that in an odd spelling", f"x_{MADE_UP}: {_MARK}"),
)  # fmt: skip

# Headers that the program does send, in the thief's words.
MADE = (
    ("have the answer kept", f"Cache-Control: public, max-age=31536000, {_MARK}", "no-store"),
    ("name a type of its own twice", f"Content-Type: text/html\r\nContent-Type: {_MARK}", _JSON),
    ("name methods that are none", f"Allow: GET, {_MARK}", None),
    ("say when to come back in words", f"Retry-After: {_MARK}", None),
)

# Statuses that the program never gives: a protocol of its own, another answer to follow, a sign-in …
STATUSES = ("101 Switching Protocols", "103 Early Hints", "407 Proxy Authentication Required")
ODD_STATUSES = [f"{number:03} x" for number in (0, 99, 100, 150, 204, 206, 226, 299, 300, 301, 304, 308, 402, 421, 444,
                                                499, 501, 511, 600, 999)]  # fmt: skip

# Media types under which a browser would run or show the body.
TYPES = (
    ("a page", "text/html"),
    ("a script", "text/javascript"),
    ("a module", "application/javascript"),
    ("a picture with scripts", "image/svg+xml"),
    ("an XML page", "application/xhtml+xml"),
    ("a style sheet", "text/css"),
    ("a page that replaces itself", "multipart/x-mixed-replace; boundary=x"),
    ("a program", "application/wasm"),
    ("a page in disguise", "text/event-streaming, text/html"),
    ("whatever the browser makes of it", ""),
)

# Acts of nginx that the program behind it could ask for.
ORDERS = (
    ("have nginx send a file of the site", "X-Accel-Redirect: /assets/app.css"),
    ("have nginx send its error pages", "X-Accel-Redirect: /errors/en/503.html"),
    ("have nginx ask the managing pool in its place", "X-Accel-Redirect: /user/settings/profile"),
    ("have nginx send a file of the machine", "X-Accel-Redirect: /assets/../../../etc/passwd"),
    ("have nginx keep the answer", "X-Accel-Expires: 3600"),
    ("have nginx throttle the answer", "X-Accel-Limit-Rate: 1"),
    ("have nginx name another character set", "X-Accel-Charset: utf-7"),
)


scene = Later(the_scene)


class Answers(Answering):
    who, pool, kind = book.EXECUTE, "execute", "application/json"

    @staticmethod
    def ask():
        return scene.ada.post(_PATH, ask(scene.adas))

    @staticmethod
    def values(answer, name):
        """Of that header, as often as it is there."""
        return [value for key, value in answer.pairs if key.lower() == name]

    def test_headers(self):
        for tried, header in HEADERS:
            name = header.partition(":")[0].strip()
            for status in ("200 OK", "302 Found", "401 Unauthorized"):
                with self.subTest(tried=tried, status=status):
                    answer = self.said(header, status=status)
                    self.assertIn((answer.status, answer.code), ((502, "upstream_error"), (503, "outcome_unknown")))
                    self.assertNotIn("thief", str(answer.pairs))
                    self.assertLessEqual(len(self.values(answer, name.lower())), 1)
            self.stopped(f"{tried} (`{name.replace(MADE_UP, '…')}`)", _REFUSED)
        self.assertNotIn(_MARK, str(scene.ada.cookies))

    def test_headers_that_it_does_send(self):
        for tried, header, ours in MADE:
            with self.subTest(tried=tried):
                answer = self.said(header, kind="")
                name = header.partition(":")[0]
                self.assertEqual((answer.status, self.values(answer, name.lower())), (200, [ours] if ours else []))
                self.assertNotIn("thief", str(answer.pairs))
                self.stopped(f"{tried} (`{name}`)", _MADE)

    def test_what_is_let_through(self):
        """Neither table is empty because each answer is refused."""
        sent = {"retry-after": "7", "allow": "GET, POST", "x-request-id": "00ff-ab", "cache-control": "no-store"}
        answer = self.said("\r\n".join(f"{name}: {value}" for name, value in sent.items()))
        for name, value in (sent | {"content-type": _JSON}).items():
            self.assertEqual(self.values(answer, name), [value], name)

    def test_statuses(self):
        second = b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nthief"
        for status, before in itertools.product((*STATUSES, *ODD_STATUSES), (b"", b"\r\n", b"x")):
            with self.subTest(status=status, before=before):
                self.thief.answer = f"Status: {status}\r\n\r\n".encode() + before + second
                answer = self.raw_answer()
                self.assertTrue(answer.startswith(b"HTTP/1.1 502 Bad Gateway\r\n"), answer[:40])
                self.assertEqual((answer.count(b"HTTP/1.1 "), answer.count(b"thief")), (1, 0))
        for status in STATUSES:
            with self.subTest(status=status, protocol="HTTP/2"):
                self.thief.answer = f"Status: {status}\r\n\r\n".encode() + second
                answer = run(["curl", "--silent", "--include", "--http2", "--data", "{}", "--cacert",
                              scene.stack.certificate.ca, scene.stack.base_url + _PATH])  # fmt: skip
                self.assertTrue(answer.startswith("HTTP/2 502"), answer[:40])
                self.assertNotIn("thief", answer)
            self.stopped(f"answer with status {status}", _UNLISTED)
        self.stopped("smuggle a whole answer behind a status below 200", _UNLISTED)

    def test_a_status_in_its_own_words(self):
        for status in ("200 from the thief", "2000", "200\tthief"):
            self.thief.answer = f"Status: {status}\r\n\r\ndata".encode()
            self.assertTrue(self.raw_answer().startswith(b"HTTP/1.1 200 OK\r\n"), status)
        self.stopped("put words of its own behind the status", "nginx writes the status line")

    def test_types(self):
        body = b"<script>alert(1)</script>"
        for tried, kind in TYPES:
            with self.subTest(kind=kind):
                answer = self.said(_HEAD, body, kind=kind)
                ours = [[f"{t}; charset=utf-8"] for t in ("application/json", "text/event-stream")]
                self.assertIn(self.values(answer, "content-type"), ours)
                self.assertEqual(self.values(answer, "content-security-policy"), [_POLICY])
                self.assertEqual(self.values(answer, "x-content-type-options"), ["nosniff"])
                shown = f"`{kind}`" if kind else "no type"
                self.stopped(f"answer with {tried} ({shown})", _TYPES)

    def test_orders(self):
        self.orders(ORDERS)

    def test_includes(self):
        body = b'<!--#include virtual="/user/settings/profile" -->'
        self.assertEqual(self.said(_HEAD, body, kind="text/html").body, body)
        self.stopped("have nginx include another page in the answer", "no server-side includes there")

    def test_a_header_in_a_header(self):
        for line_end in ("\r", "\0\r\n"):
            answer = self.said(f"{_HEAD}{line_end}Set-Cookie: a=from-the-thief")
            self.assertEqual((answer.set_cookies, self.values(answer, "set-cookie")), ([], []))
        self.stopped("hide a cookie behind a bare CR or a NUL", "nginx refuses the answer, or hides the header")

    def test_another_answer_behind_its_own(self):
        second = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthief"
        self.assertEqual(self.said("Content-Length: 2", b"ok" + second).body, b"ok")
        self.assertIn(scene.ada.email, scene.ada.get("/user/settings/profile").text)
        self.stopped("put the answer to the next request behind its own", "nginx cuts it at its length")

    def raw_answer(self):
        """All bytes of the connection: no client that would read them in its own way."""
        where = ("127.0.0.1", scene.stack.https_port)
        context = ssl.create_default_context(cafile=scene.stack.certificate.ca)
        request = f"POST {_PATH} HTTP/1.1\r\nHost: localhost:{where[1]}\r\n"
        request += "Content-Length: 0\r\nConnection: close\r\n\r\n"
        with context.wrap_socket(socket.create_connection(where), server_hostname="localhost") as tls:
            tls.sendall(request.encode())
            return b"".join(iter(lambda: tls.recv(65536), b""))

    def test_what_it_is_handed(self):
        """Signed in or not, whatever stands around its own cookie."""
        self.said(_HEAD)
        mine = scene.ada.cookies
        self.assertEqual(self.thief.handed["HTTP_COOKIE"], f"{CALLS}={mine[CALLS]}")
        others = {name: value for name, value in mine.items() if name != CALLS}
        self.assertIn(SESSION, others)
        for value in others.values():
            self.assertNotIn(value, str(self.thief.handed))
        self.stopped("read the managing pool's cookies off a request", "nginx hands it its own cookie alone")
        session = f"{SESSION}={mine[SESSION]}"
        for sent in (f'{CALLS}="a; {session}"', f"{CALLS}=a,{session}", f"x={CALLS}=a; {session}", session):
            scene.ada.get(f"{ROUTE}/{scene.adas}/models/available", {"Cookie": sent})
            self.assertNotIn(mine[SESSION], str(self.thief.handed))
        self.stopped("have a mangled cookie header carry more", "nginx takes one cookie by its name and its alphabet")

    def test_its_cookie_at_the_managing_pool(self):
        token = scene.ada.cookies[CALLS]
        calls, session = f"{CALLS}={token}", f"{SESSION}={token}"
        for cookie in (calls, session, f"{session}; {calls}"):
            for path, refused in ((f"{ROUTE}/list", 401), ("/user/settings/profile", 302)):
                answer = scene.stack.visitor().get(path, {"Cookie": cookie})
                self.assertEqual(answer.status, refused)
        self.stopped("use its cookie at the managing pool, under either name", "two tokens, each good at one pool")


_COOKIES = "nginx lets two cookies through: a notice, and the session's own again"
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


class ManageAnswers(Answering):
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
