"""docs/openapi.yaml as a test reads it: its operations, a check of answers against their schemas (by
jsonschema), and which of the documented fields have been seen. Besides, the routes as the C++ tables have
them."""

import json
import re

import yaml
from jsonschema import Draft202012Validator, FormatChecker, RefResolver

from harness.folders import REPOSITORY

_FILE = REPOSITORY / "docs" / "openapi.yaml"
_TABLES = tuple(f"lib/{name}.cpp" for name in ("auth/routes", "manage/routes", "execute/routes", "execute/relay/relay"))
_TABLE = re.compile(r"\n(?:pipeline::)?Routes \w+\(.*?\n    return \{\n(.*?)\n    \};\n", re.DOTALL)
_ROW = re.compile(  # the maker of the row says the access; a body stands there if it is not the usual one
    r'(?:with_list\(|on_any_page\()?(open|page|json|call|tool)\((?:services, )?(get|post|put|delete_),\s*"(/[^"]*)",\s*(?:\w+(?:<[^>]*>)?)?'
    r"(?:,?\s*Body::(none|json|large_json|json_with_images|form|multipart))?(?:,\s*ProviderIn::\w+,\s*TakesTurn::\w+(?:,\s*\w+)+)?\)+,\s*"
)
_USUAL = {"open": "form", "page": "form", "json": "json", "tool": "json"}
_METHODS = ("get", "put", "post", "delete")
_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_formats = FormatChecker(formats=("uuid",))
_formats.checks("date-time")(lambda value: not isinstance(value, str) or bool(_UTC.fullmatch(value)))


class Mismatch(AssertionError):
    """An answer, or the description itself, is not as it is described."""


def rows_of(text):
    """(method, path) → (access, body) of the one route table in a C++ source. Whatever in it is not
    exactly a row is a Mismatch."""
    tables = _TABLE.findall(text)
    if len(tables) != 1:
        raise Mismatch(f"There are {len(tables)} route tables where one is expected.")
    rest = tables[0].strip()
    rows = {}
    while rest:
        row = _ROW.match(rest)
        if not row:
            raise Mismatch(f"This is no row of a route table: {rest.splitlines()[0]}")
        access, method, path, body = row.groups()
        usual = "none" if method == "get" else _USUAL.get(access)
        rows[method.rstrip("_"), path.replace("...", "")] = (access, body or usual)
        rest = rest[row.end() :]
    return rows


def routes_in_the_code():
    """Of all programs."""
    rows = {}
    for table in _TABLES:
        rows |= rows_of((REPOSITORY / table).read_text(encoding="utf-8"))
    return rows


class Schemas:
    """Checks values, and remembers which properties of which schema it has met. `document` is what
    references point into."""

    def __init__(self, document):
        self._resolver = RefResolver("", document)
        self._seen = set()

    def resolve(self, node):
        """What it points to, or itself."""
        while "$ref" in node:
            node = self._resolver.resolve(node["$ref"])[1]
        return node

    def _errors(self, schema, value):
        validator = Draft202012Validator(schema, resolver=self._resolver, format_checker=_formats)
        return [f"{'.'.join(map(str, e.absolute_path))}: {e.message}" for e in validator.iter_errors(value)]

    def check(self, schema, value, where="body"):
        if errors := self._errors(schema, value):
            raise Mismatch(f"{where}: {'; '.join(errors)}")
        self._note(schema, value)

    def _note(self, schema, value):
        """Every property of a good value, of that one of several schemas that it fits."""
        schema = self.resolve(schema)
        for choice in schema.get("oneOf", []):
            if not self._errors(choice, value):
                self._note(choice, value)
        if isinstance(value, dict):
            for name, member in value.items():
                self._seen.add((id(schema), name))
                self._note(schema.get("properties", {}).get(name, {}), member)
        if isinstance(value, list):
            for item in value:
                self._note(schema.get("items", {}), item)

    def unseen(self, schemas):
        """The described properties below these schemas that no value had. Each object must be closed."""
        missing, waiting, visited = set(), list(schemas), set()
        while waiting:
            node = self.resolve(waiting.pop())
            if id(node) in visited:
                continue
            visited.add(id(node))
            properties = node.get("properties", {})
            if properties and node.get("additionalProperties", True) is not False:
                raise Mismatch(f"An object with {list(properties)} lets other properties in.")
            missing |= {name for name in properties if (id(node), name) not in self._seen}
            waiting += [*properties.values(), *node.get("oneOf", [])]
            waiting += [node["items"]] if "items" in node else []
        return missing


class Operation:
    """One method of one path."""

    def __init__(self, method, path, node, shared, schemas):
        self.method = method.upper()
        self.path = path
        self.id = node["operationId"]
        self.tags = node["tags"]
        self.open = node.get("security") == []
        self.is_of_tools = "tools" in self.tags
        self.is_credentials = node.get("security") == [{"auth": []}]
        parameters = [schemas.resolve(p) for p in shared + node.get("parameters", [])]
        self.parameters = {(p["in"], p["name"]) for p in parameters}
        self.body_types = set(schemas.resolve(node.get("requestBody", {})).get("content", {}))
        self.responses = {int(s): schemas.resolve(r) for s, r in node["responses"].items()}

    def __str__(self):
        return f"{self.method} {self.path}"


class Description:
    """The whole of it."""

    def __init__(self):
        document = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
        self._schemas = Schemas(document)
        self.operations = [
            Operation(method, path, node[method], node.get("parameters", []), self._schemas)
            for path, node in document["paths"].items()
            for method in _METHODS
            if method in node
        ]

    def check(self, operation, status, answer):
        """Holds an answer against the operation's response of that status."""
        if answer.status != status:
            raise Mismatch(f"The status is {answer.status}, not {status}: {answer.text[:300]}")
        response = operation.responses[status]
        self._check_headers(response, answer)
        content = response.get("content", {})
        media_type = answer.headers.get("content-type", "").partition(";")[0]
        if not content:
            if answer.body:
                raise Mismatch(f"There is a body: {answer.text[:300]}")
        elif media_type not in content:
            raise Mismatch(f"The Content-Type is {media_type!r}, not one of {list(content)}")
        else:
            self._check_body(content[media_type], media_type, answer)

    def _check_headers(self, response, answer):
        if not answer.headers.get("x-request-id"):
            raise Mismatch("There is no X-Request-Id.")
        for name, node in response.get("headers", {}).items():
            node, value = self._schemas.resolve(node), answer.headers.get(name.lower())
            if value is not None:
                number = node["schema"]["type"] == "integer" and value.isdigit()
                self._schemas.check(node["schema"], int(value) if number else value, name)
            elif node.get("required"):
                raise Mismatch(f"There is no header {name}.")

    def _check_body(self, content, media_type, answer):
        if media_type == "application/json":
            self._schemas.check(content["schema"], answer.json())
        elif media_type == "text/event-stream":
            for line in answer.text.splitlines():
                if line.startswith("data: "):
                    self._schemas.check(content["x-event-data"], json.loads(line[6:]), "frame")
                elif line and not line.startswith(":"):
                    raise Mismatch(f"This is no line of ours in an event stream: {line}")
        elif not answer.body.strip():
            raise Mismatch("The body is empty.")

    def unseen_fields(self):
        """Fields that are described and that no answer so far had."""
        responses = (response for operation in self.operations for response in operation.responses.values())
        contents = [content for response in responses for content in response.get("content", {}).values()]
        return self._schemas.unseen([each.get(name, {}) for each in contents for name in ("schema", "x-event-data")])
