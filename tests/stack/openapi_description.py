"""docs/openapi.yaml as a test reads it: its operations, a checker of answers for the part of JSON
Schema that it uses, and which of the documented fields have been seen. Besides, the routes as the
C++ tables have them."""

import json
import re

import yaml

from harness.folders import REPOSITORY

_FILE = REPOSITORY / "docs" / "openapi.yaml"
_TABLES = ("lib/manage/routes.cpp", "lib/execute/routes.cpp")
_TABLE = re.compile(r"\nRoutes \w+\(.*?\n    return \{\n(.*?)\n    \};\n", re.DOTALL)
_ROW = re.compile(
    r'\{(get|post|put|delete_),\s*"(/[^"]*)",\s*Access::(open|page|json),\s*'
    r"Body::(none|json|form|multipart),\s*by\(\w+\)\},?\s*"
)
_METHODS = ("get", "put", "post", "delete")
_TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}
_FORMATS = {
    "uuid": re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    "date-time": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"),
}
_KNOWN_WORDS = frozenset(
    "type required properties additionalProperties items enum const oneOf minLength maxLength "
    "minimum maximum maxItems format description default".split()
)


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
        method, path, access, body = row.groups()
        rows[method.rstrip("_"), path] = (access, body)
        rest = rest[row.end() :]
    return rows


def routes_in_the_code():
    """Of both wings."""
    rows = {}
    for table in _TABLES:
        rows |= rows_of((REPOSITORY / table).read_text(encoding="utf-8"))
    return rows


class Schemas:
    """Checks values, and remembers which properties of which schema it has met. `document` is what
    references point into."""

    def __init__(self, document):
        self._document = document
        self.seen = set()

    def resolve(self, node):
        """(what it points to or itself, its name)"""
        name = None
        while "$ref" in node:
            name = node["$ref"]
            target = self._document
            for step in name.removeprefix("#/").split("/"):
                target = target[step]
            node = target
        return node, name

    def check(self, schema, value, where="body"):
        schema, name = self.resolve(schema)
        unknown = set(schema) - _KNOWN_WORDS
        if unknown:
            raise Mismatch(f"The checker does not know {unknown} (in {name or where}).")
        if "oneOf" in schema:
            self._check_one_of(schema["oneOf"], value, where)
            return
        self._check_type(schema, value, where)
        self._check_bounds(schema, value, where)
        if isinstance(value, dict):
            self._check_object(schema, name or where, value, where)
        if isinstance(value, list):
            for index, item in enumerate(value):
                self.check(schema["items"], item, f"{where}[{index}]")

    def _check_one_of(self, choices, value, where):
        fitting = []
        reasons = []
        for choice in choices:
            trial = Schemas(self._document)
            try:
                trial.check(choice, value, where)
                fitting.append(trial)
            except Mismatch as mismatch:
                reasons.append(str(mismatch))
        if len(fitting) != 1:
            raise Mismatch(f"{where} fits {len(fitting)} of the choices: {'; '.join(reasons)}")
        self.seen |= fitting[0].seen

    @staticmethod
    def _check_type(schema, value, where):
        names = schema.get("type", [])
        names = [names] if isinstance(names, str) else names
        fits = any(
            isinstance(value, _TYPES[n]) and (n == "boolean" or not isinstance(value, bool))
            for n in names
        )
        if names and not fits:
            raise Mismatch(f"{where} is {json.dumps(value)}, not of type {names}")

    @staticmethod
    def _check_bounds(schema, value, where):
        def refuse(condition, word):
            if word in schema and condition(schema[word]):
                raise Mismatch(f"{where} is {json.dumps(value)}, against {word} {schema[word]}")

        refuse(lambda bound: value not in bound, "enum")
        refuse(lambda bound: value is not bound, "const")
        if isinstance(value, str):
            refuse(lambda bound: len(value) < bound, "minLength")
            refuse(lambda bound: len(value) > bound, "maxLength")
            refuse(lambda bound: not _FORMATS[bound].fullmatch(value), "format")
        elif isinstance(value, (int, float)):
            refuse(lambda bound: value < bound, "minimum")
            refuse(lambda bound: value > bound, "maximum")
        elif isinstance(value, list):
            refuse(lambda bound: len(value) > bound, "maxItems")

    def _check_object(self, schema, name, value, where):
        missing = set(schema.get("required", [])) - value.keys()
        if missing:
            raise Mismatch(f"{where} has no {missing}")
        properties = schema.get("properties", {})
        for key, member in value.items():
            if key not in properties:
                raise Mismatch(f"{where}.{key} is not described")
            self.seen.add((name, key))
            self.check(properties[key], member, f"{where}.{key}")

    def fields_below(self, schema):
        """Every (schema name, property) that a value of this schema can have."""
        fields = set()
        waiting = [schema]
        visited = []
        while waiting:
            node, name = self.resolve(waiting.pop())
            if node in visited:
                continue
            visited.append(node)
            properties = node.get("properties", {})
            if properties and node.get("additionalProperties", True) is not False:
                raise Mismatch(f"{name} lets other properties in.")
            if properties and name is None:
                raise Mismatch(f"An object with {list(properties)} has no name of its own.")
            fields |= {(name, key) for key in properties}
            waiting += [*properties.values(), *node.get("oneOf", [])]
            waiting += [node["items"]] if "items" in node else []
        return fields


class Operation:
    """One method of one path."""

    def __init__(self, method, path, node, shared, schemas):
        self.method = method.upper()
        self.path = path
        self.id = node["operationId"]
        self.tags = node["tags"]
        parameters = [schemas.resolve(p)[0] for p in shared + node.get("parameters", [])]
        self.parameters = {(p["in"], p["name"]) for p in parameters}
        body = schemas.resolve(node.get("requestBody", {}))[0]
        self.body_types = set(body.get("content", {}))
        self.responses = {
            int(status): schemas.resolve(response)[0]
            for status, response in node["responses"].items()
        }

    def __str__(self):
        return f"{self.method} {self.path}"


class Description:
    """The whole of it."""

    def __init__(self):
        document = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
        self.schemas = Schemas(document)
        self.operations = [
            Operation(method, path, node[method], node.get("parameters", []), self.schemas)
            for path, node in document["paths"].items()
            for method in _METHODS
            if method in node
        ]
        self.open = [
            f"{m.upper()} {p}"
            for p, node in document["paths"].items()
            for m in _METHODS
            if m in node and node[m].get("security") == []
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
            value = answer.headers.get(name.lower())
            if value is None:
                raise Mismatch(f"There is no header {name}.")
            schema = self.schemas.resolve(node)[0]["schema"]
            number = schema["type"] == "integer" and value.isdigit()
            self.schemas.check(schema, int(value) if number else value, name)

    def _check_body(self, content, media_type, answer):
        if media_type == "application/json":
            self.schemas.check(content["schema"], answer.json())
        elif media_type == "text/event-stream":
            for line in answer.text.splitlines():
                if line.startswith("data: "):
                    self.schemas.check(content["x-event-data"], json.loads(line[6:]), "frame")
                elif line and not line.startswith(":"):
                    raise Mismatch(f"This is no line of ours in an event stream: {line}")
        elif not answer.body.strip():
            raise Mismatch("The body is empty.")

    def unseen_fields(self):
        """Fields that are described and that no answer so far had."""
        fields = set()
        for operation in self.operations:
            for response in operation.responses.values():
                for content in response.get("content", {}).values():
                    for schema in (content.get("schema", {}), content.get("x-event-data", {})):
                        fields |= self.schemas.fields_below(schema)
        return fields - self.schemas.seen
