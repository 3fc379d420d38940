"""The authority of a cluster, and the certificates that it gives to machines and roles."""

from harness.processes import run

_EXTENSIONS = """basicConstraints=critical,CA:FALSE
extendedKeyUsage=serverAuth,clientAuth
subjectAltName={names}
"""


class Authority:
    def __init__(self, folder):
        folder.mkdir()
        self.folder = folder
        self.ca = folder / "ca.pem"
        ca = ["-x509", "-days", "90", "-subj", "/CN=authority", "-addext", "basicConstraints=critical,CA:TRUE"]
        run(["openssl", "req", *self._new_key(folder / "ca.key"), *ca, "-out", self.ca])

    @staticmethod
    def _new_key(file):
        return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", file]

    def give(self, name, certificate, key, *others):
        """Makes a certificate for a server or a client of that name, `others` as OpenSSL writes them."""
        request, extensions = (self.folder / f"{name}.{end}" for end in ("csr", "ext"))
        extensions.write_text(_EXTENSIONS.format(names=",".join([f"DNS:{name}", *others])), encoding="ascii")
        run(["openssl", "req", *self._new_key(key), "-subj", f"/CN={name}", "-out", request])
        signer = ["-CA", self.ca, "-CAkey", self.folder / "ca.key", "-CAcreateserial", "-days", "60"]
        run(["openssl", "x509", "-req", "-in", request, *signer, "-extfile", extensions, "-out", certificate])
