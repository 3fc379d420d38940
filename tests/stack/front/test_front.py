"""The parts that nginx adds: TLS, headers, redirect, limits, compression, caching, a log without secrets."""

import gzip
import http.client
import re
import socket
import ssl
import unittest

import brotli
from harness.client import FIELD, HEADER
from harness.folders import REPOSITORY
from harness.processes import run
from harness.scenes import ROUTE, access_token, provider
from harness.suite import Later, shared_stack

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src {scripts}; style-src 'self'; "
    "img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    "strict-transport-security": "max-age=63072000; includeSubDomains",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-resource-policy": "same-origin",
}


def headers_of(path):
    """The sign-in page may have a mailed link in its address; answers of calls are data alone."""
    if path.endswith("/test"):
        return HEADERS | {"content-security-policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox"}
    own = {"content-security-policy": HEADERS["content-security-policy"].format(scripts=f"{stack.base_url}/assets/")}
    return HEADERS | own | ({"referrer-policy": "strict-origin"} if path == "/auth/login" else {})


def tool(token):
    """The headers of one."""
    return {"Authorization": f"Bearer {token}"}


stack = Later(shared_stack, settings=[("api", "true")], manage=2, execute=2, mail=True, limits=True)
client = Later(lambda: stack.newcomer())


class Headers(unittest.TestCase):
    def test_on_every_kind_of_answer(self):
        paths = ["/auth/login", ROUTE, f"{ROUTE}/list", "/assets/app.css", "/assets/none.css"]
        paths += ["/no-such-page", f"{ROUTE}/nobody/test"]
        for path in paths:
            answer = client.get(path)
            for name, value in headers_of(path).items():
                self.assertEqual(answer.headers.get(name), value, f"{path} {name}")
            self.assertIn("permissions-policy", answer.headers)
            self.assertRegex(answer.headers["x-request-id"], r"^[0-9a-f-]{16,36}$")
            self.assertEqual(answer.headers["server"], "nginx")

    def test_mailed_links_tell_nobody_their_address(self):
        answer = client.get("/user/settings/profile/confirm-email-change?token=secret-in-query")
        self.assertEqual(answer.headers["referrer-policy"], "no-referrer")
        self.assertTrue(stack.nginx.has_logged("confirm-email-change"))
        for path in stack.folder.sub("log").iterdir():
            self.assertNotIn(b"secret-in-query", path.read_bytes(), path.name)


class Files(unittest.TestCase):
    def test_are_pressed_and_kept_for_good_where_versioned_else_asked_again(self):
        (versioned,) = re.findall(r'href="(/assets/v-\w+/app.css)"', client.get(ROUTE).text)
        for path, kept in ((versioned, "max-age=31536000, immutable"), ("/assets/app.css", "no-cache")):
            whole = client.get(path)
            self.assertEqual(whole.headers["cache-control"], kept)
            for coding, plain in (("gzip", gzip.decompress), ("br", brotli.decompress)):
                pressed = client.get(path, {"Accept-Encoding": f"{coding}, identity;q=0.1"})
                self.assertEqual((pressed.headers["content-encoding"], plain(pressed.body)), (coding, whole.body))
                self.assertIn("accept-encoding", pressed.headers["vary"].lower())
        again = client.get("/assets/app.css", {"If-None-Match": whole.headers["etag"]})
        self.assertEqual((again.status, again.body), (304, b""))
        for name in ("one", "two"):
            provider(client, f"{stack.stub.url}/v1", name=name)
        zipped = {"Accept-Encoding": "gzip"}  # pages, the list, no other JSON
        for path, coding in ((ROUTE, "gzip"), (f"{ROUTE}/list", "gzip"), ("/user/settings/profile/export", None)):
            answer = client.get(path, zipped)
            self.assertEqual(answer.headers.get("content-encoding"), coding)
        tag = client.get(f"{ROUTE}/list", zipped).headers["etag"]
        self.assertEqual(client.get(f"{ROUTE}/list", {**zipped, "If-None-Match": tag}).status, 304)

    def test_all_text_says_how_it_is_written(self):
        for path in ("/assets/app.css", "/assets/providers.js", "/assets/favicon.svg", "/assets/none"):
            self.assertIn("; charset=utf-8", client.get(path).headers["content-type"], path)

    def test_nothing_else_is_a_file(self):
        for path in ("/site.conf", "/snippets/http.conf", "/errors/en/503.html", "/assets/../dev"):
            self.assertEqual(client.get(path).status, 404, path)
        self.assertEqual(client.get("/assets/").status, 403)


class Connection(unittest.TestCase):
    def plain(self, path, host="localhost"):
        """What is answered without TLS."""
        connection = http.client.HTTPConnection("127.0.0.1", stack.http_port, timeout=10)
        self.addCleanup(connection.close)
        connection.request("GET", path, headers={"Host": host})
        return connection.getresponse()

    def test_http_leads_to_our_own_name_only(self):
        for host in ("localhost", "evil.example"):
            answer = self.plain("/user/providers?x=1", host)
            location = f"{stack.base_url}/user/providers?x=1"
            self.assertEqual((answer.status, answer.headers["Location"]), (301, location))
            self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
            self.assertIn("frame-ancestors 'none'", answer.headers["Content-Security-Policy"])

    def test_http_has_the_files_by_which_a_certificate_is_renewed(self):
        folder = stack.folder.sub("nginx", "challenges", ".well-known", "acme-challenge")
        folder.mkdir(parents=True)
        (folder / "token").write_text("answer")
        self.assertEqual(self.plain("/.well-known/acme-challenge/token").read(), b"answer")

    def test_another_name_is_misdirected(self):
        self.assertEqual(client.get("/auth/login", {"Host": "evil.example"}).status, 421)

    def test_tls(self):
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context = ssl.create_default_context(cafile=stack.certificate.ca)
            context.minimum_version = context.maximum_version = version
            context.set_alpn_protocols(["h2"])
            with socket.create_connection(("127.0.0.1", stack.https_port)) as plain:
                with context.wrap_socket(plain, server_hostname="localhost") as tls:
                    self.assertEqual(tls.selected_alpn_protocol(), "h2")
                    self.assertRegex(tls.cipher()[0], r"^(ECDHE-.*(GCM|POLY1305)|TLS_)")


class Requests(unittest.TestCase):
    def test_a_path_with_a_control_character_is_no_programs(self):
        """A page by one would be one program's for nginx, and another's for a script."""
        paths = ["/user/settings/access/x%0Ay", "/user/settings/security%0A", "/auth/login%0Ax", "/user/providers/x%0D/test", "/%7F", "/v1/models%0A"]
        for path in paths:
            answer = client.get(path)
            self.assertEqual((answer.status, "<center>nginx</center>" in answer.text), (404, True), path)

    def test_a_program_of_pages_is_handed_no_token_of_a_tool(self):
        """Each header that it is handed is in a list."""
        for name in ("manage", "auth", "execute"):
            snippet = (REPOSITORY / "deploy" / "nginx" / "snippets" / f"{name}.conf").read_text(encoding="utf-8")
            self.assertIn("\nfastcgi_pass_request_headers off;\n", snippet, name)
        handed = (REPOSITORY / "deploy" / "nginx" / "snippets" / "fastcgi.conf").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"HTTP_(?:AUTHORIZATION|X_API_KEY)", handed), [])

    def test_the_header_with_underscores_gets_through(self):
        answer = client.post(f"{ROUTE}/test-batch", None, {HEADER: None, FIELD: client.token()})
        self.assertEqual(answer.status, 200)
        self.assertEqual(client.post(f"{ROUTE}/test-batch", None, {HEADER: None}).status, 400)

    def test_a_body_larger_than_nginx_lets_through_is_told_in_our_words(self):
        answer = client.post(f"{ROUTE}/create", {"name": "x" * 200_000})
        self.assertEqual((answer.status, answer.code), (413, "body_too_large"))
        self.assertEqual(answer.json()["requestId"], answer.headers["x-request-id"])

    def test_too_many_of_one_address_are_told_so(self):
        answer = self.flood(f"{ROUTE}/list")
        self.assertEqual(answer.code, "rate_limited")
        self.assertEqual(answer.json()["requestId"], answer.headers["x-request-id"])
        self.assertGreater(int(answer.headers["retry-after"]), 0)
        page = self.flood("/auth/login")
        self.assertTrue(page.headers["content-type"].startswith("text/html"))
        self.assertIn(page.headers["x-request-id"], page.text)
        for name, value in headers_of("/auth/login").items():
            self.assertEqual(page.headers.get(name), value, name)

    def test_and_have_a_page_over_http_2_as_well(self):
        for protocol in ("--http1.1", "--http2"):
            command = ["curl", "-s", "-k", protocol, "-i", "-d", "@-", f"{stack.base_url}/auth/login"]
            answer = run(command, 60, input="x" * 200_000)
            self.assertIn(" 413", answer.split("\n")[0], protocol)
            self.assertIn('<p class="status-number">413</p>', answer, protocol)

    def test_in_the_language_of_the_reader(self):
        english, german = "This upload is larger", "Die gesendeten Daten sind gr"
        for cookie, wishes, said in (
            ("language=en", "de", english),
            ("theme=dark; language=de", "fr", german),
            ("", "it, de;q=0.8, en;q=0.5", german),
            ("", "den, it", english),
        ):
            headers = {"Cookie": cookie, "Accept-Language": wishes}
            page = stack.visitor().request("POST", "/auth/login", b"x" * 200_000, headers)
            self.assertEqual(page.status, 413)
            self.assertIn(said, page.text, headers)
            self.assertIn(f'<html lang="{"de" if said == german else "en"}">', page.text)

    def test_the_old_vault_is_gone_for_bodies_of_any_size_and_form(self):
        large = b"x" * 3_000_000
        pieces = (large[:100_000] for _ in range(30))  # without a length
        for path in ("/user/vault", "/user/vault/keys/1?x=1", "/user/%76ault"):
            for body, kind in ((large, "image/png"), (pieces, "application/json"), (b"{}", "text/plain"), (None, "x")):
                answer = client.request("POST", path, body, {"Content-Type": kind})
                self.assertEqual((answer.status, answer.code), (404, "not_found"), (path, kind))
            self.assertEqual(client.get(path).status, 404)
        command = ["curl", "-s", "-k", "--http2", "-i", "-d", "@-", f"{stack.base_url}/user/vault/x"]
        self.assertTrue(run(command, 60, input="x" * 3_000_000).startswith("HTTP/2 404"))
        self.assertEqual(client.request("POST", "/user/vaults", large).status, 413)

    def test_tools_have_the_limit_of_their_token_and_strangers_the_usual_one(self):
        models = "/v1/models"
        good, bad = (tool(token) for token in (access_token(client), "ush_" + "0" * 66))
        self.assertEqual({stack.visitor().get(models, tool("none")).status, self.flood(models).status}, {401, 429})
        visitor, beside = stack.visitor(), stack.visitor()
        self.assertEqual({visitor.get(models, good).status for _ in range(200)}, {200})
        self.assertEqual({visitor.get(models, bad).status for _ in range(60)}, {401})
        refused = self.flood(models, visitor, headers=good)
        self.assertEqual(refused.json()["error"]["code"], "rate_limited")
        self.assertEqual(beside.get(models, good).status, 200)

    def test_sign_ins_and_calls_have_limits_of_their_own(self):
        for path in ("/auth/login", "/auth/forgot", f"{ROUTE}/test-batch"):
            visitor = stack.visitor()
            self.flood(path, visitor, "POST")
            self.assertEqual(visitor.get("/auth/login").status, 200, path)

    def flood(self, path, visitor=None, method="GET", headers=None):
        """The first refusal among quick requests from an address of its own."""
        visitor = visitor or stack.visitor()
        self.addCleanup(visitor.close)
        for _ in range(5000):
            answer = visitor.request(method, path, headers=headers)
            if answer.status == 429:
                return answer
        self.fail("5000 requests in a row and none was refused")
