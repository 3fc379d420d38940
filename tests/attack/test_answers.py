"""Whoever has the executing program answers through the real nginx as he likes: what reaches a browser
of it is data. nginx is the one of the stack; behind it a responder of the thief's."""

import itertools
import socket
import ssl

import book
from harness.scenes import ROUTE, SESSION, ask
from responder import Responder
from scene import Thief, the_scene

CALLS = "__Host-usershell-calls"
_PATH = f"{ROUTE}/playground"
_POLICY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox"
_HIDDEN = "nginx hides it"
_TYPES = "nginx sends two media types, with `nosniff`, and forbids everything by its policy"
_MARK = "from-the-thief"

# Headers by which an answer would do more than to be data.
HEADERS = (
    ("sign the browser in as somebody else", f"Set-Cookie: {SESSION}={_MARK}; Path=/; Secure"),
    ("plant a cookie in another spelling", f"SET-COOKIE : {SESSION}={_MARK}; Path=/; Secure"),
    ("send the browser elsewhere", f"Location: https://{_MARK}.example.org/"),
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
)  # fmt: skip

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

# What nginx itself would do when told by the program behind it.
ORDERS = (
    ("have nginx send a file of the site", "X-Accel-Redirect: /assets/app.css"),
    ("have nginx send its error pages", "X-Accel-Redirect: /errors/en/503.html"),
    ("have nginx ask the managing pool in its place", "X-Accel-Redirect: /user/settings/profile"),
    ("have nginx send a file of the machine", "X-Accel-Redirect: /assets/../../../etc/passwd"),
    ("have nginx keep the answer", "X-Accel-Expires: 3600"),
    ("have nginx throttle the answer", "X-Accel-Limit-Rate: 1"),
    ("have nginx name another character set", "X-Accel-Charset: utf-7"),
)


def setUpModule():
    global scene, thief
    scene = the_scene()
    scene.stack.pools["execute"].stop()
    thief = Responder(scene.stack.pools["execute"].path)


def tearDownModule():
    thief.close()
    scene.stack.pools["execute"].start()


class Answers(Thief):
    who = book.EXECUTE

    def said(self, head, body=b"data", status="200 OK", kind="application/json"):
        """What the browser gets when the thief answers that."""
        kind = f"Content-Type: {kind}\r\n" if kind else ""
        thief.answer = f"Status: {status}\r\n{kind}{head}\r\n\r\n".encode() + body
        return scene.ada.post(_PATH, ask(scene.adas))

    @staticmethod
    def values(answer, name):
        """Of that header, as often as it is there."""
        return [value for key, value in answer.pairs if key.lower() == name]

    def test_headers(self):
        for tried, header in HEADERS:
            for status in ("200 OK", "302 Found", "401 Unauthorized"):
                with self.subTest(tried=tried, status=status):
                    answer = self.said(header, status=status)
                    values = self.values(answer, header.partition(":")[0].strip().lower())
                    self.assertNotIn("thief", " ".join(values))
                    self.assertLessEqual(len(values), 1)
                    self.assertEqual(answer.set_cookies, [])
            self.stopped(f"{tried} (`{header.partition(':')[0].strip()}`)", _HIDDEN)
        self.assertNotIn(_MARK, str(scene.ada.cookies))

    def test_types(self):
        body = b"<script>alert(1)</script>"
        for tried, kind in TYPES:
            with self.subTest(kind=kind):
                answer = self.said("X: y", body, kind=kind)
                ours = [[f"{t}; charset=utf-8"] for t in ("application/json", "text/event-stream")]
                self.assertIn(self.values(answer, "content-type"), ours)
                self.assertEqual(self.values(answer, "content-security-policy"), [_POLICY])
                self.assertEqual(self.values(answer, "x-content-type-options"), ["nosniff"])
                shown = f"`{kind}`" if kind else "no type"
                self.stopped(f"answer with {tried} ({shown})", _TYPES)

    def test_orders(self):
        for tried, header in ORDERS:
            with self.subTest(tried=tried, header=header):
                answer = self.said(header)
                self.assertEqual((answer.status, answer.body), (200, b"data"))
                self.assertNotIn("x-accel", " ".join(name.lower() for name, _ in answer.pairs))
                self.assertNotIn("utf-7", str(answer.pairs))
                name, _, value = header.partition(": ")
                self.stopped(f"{tried} (`{name}: {value}`)", "nginx ignores it")

    def test_includes(self):
        body = b'<!--#include virtual="/user/settings/profile" -->'
        self.assertEqual(self.said("X: y", body, kind="text/html").body, body)
        self.stopped("have nginx include another page in the answer", "no server-side includes there")

    def test_a_header_in_a_header(self):
        for line_end in ("\r", "\0\r\n"):
            answer = self.said(f"X: y{line_end}Set-Cookie: a=from-the-thief")
            self.assertEqual((answer.set_cookies, self.values(answer, "set-cookie")), ([], []))
        self.stopped("hide a cookie behind a bare CR or a NUL", "nginx refuses the answer, or hides the header")

    def test_another_answer_behind_its_own(self):
        second = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthief"
        self.assertEqual(self.said("Content-Length: 2", b"ok" + second).body, b"ok")
        self.assertIn(scene.ada.email, scene.ada.get("/user/settings/profile").text)
        self.stopped("put the answer to the next request behind its own", "nginx cuts it at its length")

    def test_an_answer_that_is_not_the_last(self):
        """Over HTTP/1.1 what follows a status below 200 would be another answer, whole."""
        second = b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nthief"
        statuses = ("100 Continue", "101 Switching Protocols", "103 Early Hints", "150 x", "099 x", "000 x")
        bodies = (second, second.replace(b"HTTP/1.1", b"ICY"), second.replace(b"HTTP", b"hTTp"))
        for status, before, body in itertools.product(statuses, (b"", b"\r\n", b"x"), bodies):
            thief.answer = f"Status: {status}\r\nX: y\r\n\r\n".encode() + before + body
            _, _, rest = self.raw_answer().partition(b"\r\n\r\n")
            self.assertIn(b"thief", rest)
            self.assertNotRegex(rest, rb"(?i)http/|icy ")
        self.stopped("smuggle a whole answer behind a status below 200", "nginx leaves no status line in such a body")

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
        self.said("X: y")
        mine = scene.ada.cookies
        self.assertEqual(thief.handed["HTTP_COOKIE"], f"{CALLS}={mine[CALLS]}")
        others = {name: value for name, value in mine.items() if name != CALLS}
        self.assertIn(SESSION, others)
        for value in others.values():
            self.assertNotIn(value, str(thief.handed))
        self.stopped("read the managing pool's cookies off a request", "nginx hands it its own cookie alone")
        session = f"{SESSION}={mine[SESSION]}"
        for sent in (f'{CALLS}="a; {session}"', f"{CALLS}=a,{session}", f"x={CALLS}=a; {session}", session):
            scene.ada.get(f"{ROUTE}/{scene.adas}/models/available", {"Cookie": sent})
            self.assertNotIn(mine[SESSION], str(thief.handed))
        self.stopped("have a mangled cookie header carry more", "nginx takes one cookie by its name and its alphabet")

    def test_its_cookie_at_the_managing_pool(self):
        token = scene.ada.cookies[CALLS]
        calls, session = f"{CALLS}={token}", f"{SESSION}={token}"
        for cookie in (calls, session, f"{session}; {calls}"):
            for path, refused in ((f"{ROUTE}/list", 401), ("/user/settings/profile", 302)):
                answer = scene.stack.visitor().get(path, {"Cookie": cookie})
                self.assertEqual(answer.status, refused)
        self.stopped("use its cookie at the managing pool, under either name", "two tokens, each good at one pool")
