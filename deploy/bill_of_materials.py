"""A bill of materials in CycloneDX 1.5 of a package: bill_of_materials.py ROOT-IT-WAS-BUILT-IN PACKAGE.deb

"required": what it runs with. "excluded": what it was built with; copyright says what of that is in it. Versions are
the root's; what is not in the root has none. There is no time and no random number: one package has one bill.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

MARKS = "@lobehub/icons-static-svg"  # deploy/nginx/marks.svg


def said(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def names(field):
    """Each of the dependencies, and of alternatives each."""
    return {re.match(r"[a-z0-9.+-]+", name.strip())[0] for name in re.split(r"[,|]", field)}


def in_root(root):
    """{name: (version, architecture)}"""
    form = "${Package} ${Version} ${Architecture}\n"
    rows = said("dpkg-query", f"--admindir={root}/var/lib/dpkg", "-W", "-f", form).splitlines()
    return {name: fact for name, *fact in map(str.split, rows)}


def component(name, fact, scope, debian):
    version, architecture = fact or (None, None)
    purl = f"pkg:deb/debian/{name}" + (f"@{quote(version, safe='')}?arch={architecture}&distro={debian}" if fact else "")
    part = {"type": "library", "bom-ref": purl, "name": name, "scope": scope, "purl": purl}
    return part | ({"version": version} if fact else {})


def main():
    root, package = sys.argv[1:]
    name, version, needs = (said("dpkg-deb", "--field", package, field).strip() for field in ("Package", "Version", "Depends"))
    debian = "debian-" + re.search(r'^VERSION_ID="(\d+)"', Path(root, "etc/os-release").read_text(encoding="utf-8"), re.M)[1]
    control = Path(__file__).with_name("debian").joinpath("control").read_text(encoding="utf-8")
    built = re.search(r"^Build-Depends:(.*?)^\S", control, re.M | re.S)[1]
    installed, runs = in_root(root), names(needs)
    parts = [component(each, installed.get(each), "required", debian) for each in sorted(runs)]
    parts += [component(each, installed[each], "excluded", debian) for each in sorted((names(built) - runs) & installed.keys())]
    marks = f"pkg:npm/{quote(MARKS, safe='/')}"
    parts.append({"type": "library", "bom-ref": marks, "name": MARKS, "scope": "required", "purl": marks})
    own = {"type": "application", "bom-ref": name, "name": name, "version": version, "licenses": [{"license": {"id": "Apache-2.0"}}]}
    needed = [part["bom-ref"] for part in parts if part["scope"] == "required"]
    bill = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": {"component": own}, "components": parts,
            "dependencies": [{"ref": name, "dependsOn": needed}]}  # fmt: skip
    print(json.dumps(bill, indent=2))


main()
