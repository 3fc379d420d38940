"""A certificate for localhost, or for other names, and the small authority that signed it, for browsers and
tests."""

from ..processes import HarnessError, run

_DAYS = "397"  # browsers refuse certificates that live longer
_RENEW_WITHIN = str(30 * 24 * 3600)
_NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
_AUTHORITY = ["basicConstraints=critical,CA:TRUE,pathlen:0", "keyUsage=critical,keyCertSign"]
_LEAF = """basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=serverAuth
subjectAltName={names}
"""


class Certificate:
    """`ca`, `certificate` and `key` are the PEM files, made anew when missing or near their end."""

    def __init__(self, folder, names=("DNS:localhost", "IP:127.0.0.1", "IP:::1")):
        self._names = names
        self.ca = folder / "ca.pem"
        self.certificate = folder / "certificate.pem"
        self.key = folder / "key.pem"
        if not self._good():
            self._make(folder)

    def _good(self):
        try:
            run(["openssl", "x509", "-in", self.certificate, "-noout", "-checkend", _RENEW_WITHIN])
            run(["openssl", "verify", "-CAfile", self.ca, self.certificate])
        except HarnessError:
            return False
        return self.key.exists()

    def _make(self, folder):
        ca_key, request, extensions = (folder / n for n in ("ca.key", "leaf.csr", "leaf.ext"))
        extensions.write_text(_LEAF.format(names=",".join(self._names)), encoding="ascii")
        new = ["openssl", "req", *_NEW_KEY, "-subj"]
        authority = ["-x509", "-days", _DAYS, *(word for each in _AUTHORITY for word in ("-addext", each))]
        run([*new, "/CN=usershell local authority", *authority, "-keyout", ca_key, "-out", self.ca])
        run([*new, "/CN=localhost", "-keyout", self.key, "-out", request])
        signer = ["-CA", self.ca, "-CAkey", ca_key, "-CAcreateserial", "-days", _DAYS]
        sign = ["openssl", "x509", "-req", "-in", request, *signer, "-extfile", extensions]
        run([*sign, "-out", self.certificate])
        for path in (ca_key, request, extensions, self.ca.with_suffix(".srl")):
            path.unlink(missing_ok=True)  # nothing else is ever to be signed
