"""Makes the folder that nginx serves: python3 assets.py SITE LANGUAGES FACE FOLDER SOURCE.

FOLDER/assets: SITE/assets without comments, the modules of each folder as one, the font FACE, a file marks/TYPE.svg for
each line of SITE/marks.svg, a script languages/CODE.js for each file of LANGUAGES, and beside every text of some size
its gzip and Brotli forms.
FOLDER/errors/CODE: the pages of SITE/errors.html in each language, English among them.
SOURCE: C++ that tells the pages under which path the assets are asked for and which modules a script needs. The path
names a hash of all assets, so that browsers may keep them for good; scripts find each other by relative paths and so
stay under it.
"""

import gzip
import hashlib
import json
import re
import shutil
import sys
from pathlib import Path

import brotli

SMALL = 512  # bytes, as gzip_min_length (deploy/nginx/snippets/server.conf)
IMPORT = re.compile(r"^(?:import|export) (?:{([^}]*)} from )?'([\w./]+)';\n", re.MULTILINE)
LATER = re.compile(r"import\('(\./[\w/]+\.js)'\)")
EXPORT = re.compile(r"^export (?=(?:const|class|(?:async )?function\*?) (\w+))", re.MULTILINE)
# Comments that have their lines to themselves; others are few.
COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*(?:(?!\*/).)*\*/)[ \t]*\n", re.MULTILINE | re.DOTALL)
MARK = re.compile(r'^<svg id="([\w-]+)"(.*)$', re.MULTILINE)
SOURCE = """// Made by cmake/assets.py.
#include "pages/templates.hpp"

#include <map>

namespace usershell::pages {{

std::string asset_folder() {{ return "/assets/v-{hash}"; }}

std::vector<std::string> preloads_of(const std::string& script) {{
    static const std::map<std::string, std::vector<std::string>> table{{
{rows}    }};
    const auto found = table.find(script);
    return found == table.end() ? std::vector<std::string>{{}} : found->second;
}}

}} // namespace usershell::pages
"""


def imported(script):
    return [(script.parent / path).resolve() for _, path in IMPORT.findall(script.read_text(encoding="utf-8"))]


def imports(script, seen):
    """Adds the script and all that it imports, each after what it imports itself."""
    if script not in seen:
        seen[script] = False
        for path in imported(script):
            imports(path, seen)
        seen.pop(script)
        seen[script] = True
    elif not seen[script]:
        raise SystemExit(f"{script} imports itself, by way of others")
    return seen


def late(modules, folder):
    """Those of the folder that these import when they are needed, and what those import themselves."""
    asked = [(m.parent / path).resolve() for m in modules for path in LATER.findall(m.read_text(encoding="utf-8"))]
    found = dict.fromkeys(m for start in asked for m in imports(start, {}))
    return [each for each in found if each.parent == folder and each not in modules]


def scope(name, text, folder):
    """A module's own names, and out of them those that it exports."""
    body = EXPORT.sub("", IMPORT.sub("", text)).replace("import.meta.url", f"new URL('{name}', import.meta.url)")
    body = LATER.sub(f"import('./{folder.name}_later.js')", body)
    exported = ", ".join(EXPORT.findall(text))
    if not exported:
        return f"{{\n{body}}}\n"
    return f"const {{ {exported} }} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"


def file_of(modules, folder, root):
    """The modules as one file, which exports what they export."""
    texts_of = {m: m.read_text(encoding="utf-8") for m in modules}
    wanted = {}  # of other files, by their names
    for module, text in texts_of.items():
        for names, path in IMPORT.findall(text):
            other = (module.parent / path).resolve()
            if other not in texts_of:
                wanted.setdefault(other.parent.name, set()).update(name for name in re.split(r"[,\s]+", names) if name)
    lines = [f"import {{ {', '.join(sorted(wanted[other]))} }} from './{other}.js';\n" for other in sorted(wanted)]
    lines += [scope(module.relative_to(root), text, folder) for module, text in texts_of.items()]
    exported = sorted(name for text in texts_of.values() for name in EXPORT.findall(text))
    return "".join([*lines, f"export {{ {', '.join(exported)} }};\n"])


def joined(folder, root):
    """The modules of a folder as one file, by its path; its page's script, if it has one, is the last of them. Those that are
    loaded later are another file."""
    page = folder.with_suffix(".js")
    starts = [page] if page.exists() else sorted(folder.glob("*.js"))
    every = list(dict.fromkeys(module for start in starts for module in imports(start, {})))
    modules = [m for m in every if m.parent == folder or m == page]
    later = late(every, folder)
    made = {page: file_of(modules, folder, root)}
    if later:
        made[root / f"{folder.name}_later.js"] = file_of(later, folder, root)
    return made


def join(root):
    """Puts the modules of each folder into one beside it: a first visit asks for few files."""
    pages = sorted(root.glob("*.js"))
    folders = sorted({path.parent for page in pages for path in imports(page, {})} - {root})
    made = {path: text for folder in folders for path, text in joined(folder, root).items()}
    for page in pages:
        text = page.read_text(encoding="utf-8")
        made.setdefault(page, re.sub(r"'\./(\w+)/\w+\.js'", r"'./\1.js'", text))
    for path, text in made.items():
        path.write_text(text, encoding="utf-8")
    for folder in folders:
        shutil.rmtree(folder)


def language_script(sentences, pages, scripts):
    """The sentences of a page's scripts and of answers, as a plain script: all but those in pages alone."""
    in_pages = set(re.findall(r"\[\[(.*?)\]\]", pages, re.DOTALL))
    said = {text: other for text, other in sentences.items() if text not in in_pages or f"'{text}'" in scripts}
    return f"globalThis.sentences={json.dumps(said, ensure_ascii=False, separators=(',', ':'))};\n"


def error_pages(site, folder, code, sentences):
    """nginx's own pages in that language; in English without sentences."""
    table, _, page = (site / "errors.html").read_text(encoding="utf-8").partition("-->\n")
    for status, title, sentence in re.findall(r"^(\d+) \| (.*) \| (.*)$", table, re.MULTILINE):
        text = page.replace("{{LANGUAGE}}", code).replace("{{STATUS}}", status)
        text = text.replace("{{TITLE}}", title).replace("{{SENTENCE}}", sentence)
        said = re.sub(r"\[\[(.*?)\]\]", lambda found: sentences.get(found[1], found[1]), text)
        write(folder / "errors" / code / f"{status}.html", said.encode())


def texts(folder, pattern):
    return "".join(path.read_text(encoding="utf-8") for path in folder.rglob(pattern))


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def main(site, languages, face, folder, source):
    shutil.rmtree(folder / "assets", ignore_errors=True)
    shutil.copytree(site / "assets", folder / "assets")
    shutil.copy(face, folder / "assets")
    for name, drawing in MARK.findall((site / "marks.svg").read_text(encoding="utf-8")):
        write(folder / "assets" / "marks" / f"{name}.svg", f'<svg xmlns="http://www.w3.org/2000/svg"{drawing}\n'.encode())
    for path in (p for p in (folder / "assets").rglob("*") if p.suffix in (".js", ".css")):
        path.write_text(COMMENT.sub("", path.read_text(encoding="utf-8")), encoding="utf-8")
    shutil.rmtree(folder / "errors", ignore_errors=True)
    error_pages(site, folder, "en", {})
    pages = texts(languages.parent, "*.tpl") + (site / "errors.html").read_text(encoding="utf-8")
    scripts = texts(site / "assets", "*.js")
    for path in languages.glob("*.json"):
        language = json.loads(path.read_text(encoding="utf-8"))
        error_pages(site, folder, path.stem, language["sentences"])
        script = language_script(language["sentences"], pages, scripts).encode()
        write(folder / "assets" / "languages" / f"{path.stem}.js", script)
    join((folder / "assets").resolve())
    digest = hashlib.sha256()
    for path in sorted(p for p in (folder / "assets").rglob("*") if p.is_file()):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder)} {len(content)}\n".encode() + content)
        if len(content) >= SMALL and path.suffix != face.suffix:  # that is pressed already
            write(path.with_name(f"{path.name}.gz"), gzip.compress(content, 9, mtime=0))
            write(path.with_name(f"{path.name}.br"), brotli.compress(content))
    rows = ""
    root = (folder / "assets").resolve()
    for script in sorted(root.glob("*.js")):
        needed = sorted(str(p.relative_to(root)) for p in imports(script, {}) if p != script)
        if needed:
            rows += f'        {{"{script.name}", {{{", ".join(json.dumps(n) for n in needed)}}}}},\n'
    write(source, SOURCE.format(hash=digest.hexdigest()[:16], rows=rows).encode())


main(*map(Path, sys.argv[1:]))
