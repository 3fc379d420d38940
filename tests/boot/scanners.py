"""Strangers' scanners of a served host: testssl.sh (Debian) of its TLS, MDN's HTTP Observatory (npm) of
its headers and cookies. Both look at ports 80 and 443 of the name, from the network that this process is in."""

import json
import os
import subprocess

from harness.servers.npm_server import install

_OBSERVATORY = "@mdn/mdn-http-observatory@1.4"
_TOLD = ("LOW", "MEDIUM", "HIGH", "CRITICAL", "FATAL")
# Findings of testssl.sh for each certificate of a private authority.
_OF_THE_AUTHORITY = {"DNS_CAArecord", "cert_revocation", "OCSP_stapling", "cert_crlDistributionPoints", "cert_ocspURL"}
# The browser chooses among suites that are all strong, as Mozilla advises (deploy/nginx/snippets/connection.conf).
_ON_PURPOSE = {"cipher_order"}


def prepare(folder):
    """Fetches what the scans need, while npm's registry can be reached."""
    install(folder, _OBSERVATORY, "--ignore-scripts")
    # Its list of sites that browsers know to be HTTPS only; else it is fetched.
    (folder / "node_modules/@mdn/mdn-http-observatory/conf/hsts-preload.json").write_text("{}")


def observatory(folder, host, authority):
    """(score, the tests that did not pass): 100 is its full mark, above it stand extra points."""
    script = folder / "node_modules/@mdn/mdn-http-observatory/src/scan.js"
    environment = os.environ | {"NODE_EXTRA_CA_CERTS": str(authority)}
    done = subprocess.run(["node", script, host], env=environment, capture_output=True, text=True, check=False)
    said = json.loads(done.stdout)
    if "scan" not in said:
        raise AssertionError(said)
    return said["scan"]["score"], [name for name, test in said["tests"].items() if not test["pass"]]


def tls_faults(folder, host, authority):
    """What testssl.sh finds to be worse than a remark: [finding's name, grade, sentence]."""
    answer = folder / "testssl.json"
    command = ["testssl", "--quiet", "--color", "0", "--warnings", "off", "--ip", "127.0.0.1", "--nodns", "none"]
    command += ["--add-ca", str(authority), "--jsonfile", str(answer)]
    subprocess.run([*command, f"{host}:443"], stdout=subprocess.DEVNULL, check=False)
    found = json.loads(answer.read_text())
    if len(found) < 50:
        raise AssertionError(found)
    return [
        [each["id"], each["severity"], each["finding"]]
        for each in found
        if each["severity"] in _TOLD and each["id"].split(" ")[0] not in _OF_THE_AUTHORITY | _ON_PURPOSE
    ]
