"""Files that repeat a rule say what lib/domain/rules.hpp says: docs/openapi.yaml, the database's
constraints, nginx, and sentences of the documents. Whatever looks like a rule there and has no row
here fails as well."""

import ipaddress
import json
import re
import subprocess
import unittest

import yaml

from harness.folders import REPOSITORY, Folder
from harness.servers.postgres import OWNER, Postgres
from harness.stack import programs

_RULES = json.loads(subprocess.check_output([programs() / "print_rules"]))
NUMBERS, WORDS = _RULES["numbers"], _RULES["words"]
DEFAULTS = {row["name"]: row["default"] for row in _RULES["settings"]}
KIB = 1024
TIMES = {3600, 86400}  # an hour and a day, which scripts count in for people
CHANCE = {6000}  # a piece of Markdown has as many characters as a token may make requests a minute


def text(path):
    return (REPOSITORY / path).read_text(encoding="utf-8")


def said(number):
    """As the sentences write it."""
    return f"{number:,}"


def length(name):
    """The two bounds of a text; a field that may be left out has no lower one."""
    bounds = {"maxLength": NUMBERS[f"max_{name}"]}
    return bounds | ({"minLength": least} if (least := NUMBERS[f"min_{name}"]) else {})


def default(name, divisor=1):
    """Of a setting, in a larger unit that it fills."""
    whole, rest = divmod(int(DEFAULTS[name]), divisor)
    assert rest == 0, name
    return said(whole)


def between(name):
    return {"minimum": NUMBERS[f"min_{name}"], "maximum": NUMBERS[f"max_{name}"]}


class OpenApi(unittest.TestCase):
    """Of what a schema asks, at most so many characters and one of these words are rules; that a
    string of ours is not empty, or a count not negative, is none."""

    _EXPORT = "schemas/Export/properties/providers/items"
    _IMPORT = "schemas/Import/properties/providers/items"
    EXPECTED = {
        "parameters/ModelId/schema": length("model_id"),
        "schemas/Error/properties/code": {"enum": WORDS["error_code"]},
        "schemas/Health": {"enum": WORDS["health"]},
        "schemas/ProviderType": {"enum": WORDS["provider_type"]},
        "schemas/Provider/properties/status": {"enum": WORDS["status"]},
        "schemas/Provider/properties/models": {"maxItems": NUMBERS["max_models"]},
        "schemas/Provider/properties/accounts": {"maxItems": NUMBERS["max_accounts"]},
        "schemas/Provider/properties/headers": {"maxItems": NUMBERS["max_headers"]},
        "schemas/SetHeader/properties/name": length("header_name"),
        "schemas/SetHeader/properties/value": length("header_value"),
        "schemas/ProviderList/properties/providers": {"maxItems": NUMBERS["max_providers"]},
        "schemas/ProviderStatus/properties/status": {"enum": WORDS["status"]},
        "schemas/Account/properties/priority": between("priority"),
        "schemas/AvailableModels/properties/models": {"maxItems": NUMBERS["max_listed_models"]},
        "schemas/LoginForm/properties/password": {"maxLength": NUMBERS["max_password_bytes"]},
        "schemas/NewPassword": {
            "minLength": NUMBERS["min_password_characters"],
            "maxLength": NUMBERS["max_password_bytes"],
        },
        "schemas/DisplayNameForm/properties/DisplayName": length("display_name"),
        "schemas/EmailForm/properties/NewEmail": length("email"),
        "schemas/AvatarForm/properties/Avatar": {"maxLength": NUMBERS["max_avatar_bytes"]},
        "schemas/Name": length("provider_name"),
        "schemas/BaseUrl": length("base_url"),
        "schemas/EditProvider/properties/handle": length("handle"),
        "schemas/AccessTokenForm/properties/Name": length("token_name"),
        "schemas/AccessTokenForm/properties/Days": between("token_days"),
        "schemas/PasskeyName": length("token_name"),
        "schemas/AccessTokenForm/properties/RequestsAMinute": between("requests_a_minute"),
        "schemas/AccessTokenForm/properties/TokensADay": between("tokens_a_day"),
        "schemas/Key": length("api_key"),
        "schemas/Status/properties/status": {"enum": WORDS["status"]},
        "schemas/AddModel/properties/modelId": length("model_id"),
        "schemas/AddModel/properties/displayName": length("model_name"),
        "schemas/SetModelName/properties/displayName": length("model_name"),
        "schemas/SetModelPosition/properties/position": between("model_position"),
        f"{_EXPORT}/properties/status": {"enum": WORDS["status"]},
        "schemas/Import/properties/providers": {"maxItems": NUMBERS["max_providers"]},
        f"{_IMPORT}/properties/models": {"maxItems": NUMBERS["max_models"]},
        f"{_IMPORT}/properties/accounts": {"maxItems": NUMBERS["max_accounts"]},
        f"{_IMPORT}/properties/accounts/items/properties/priority": between("priority"),
        "schemas/AddAccount/properties/priority": between("priority"),
        "schemas/EditAccount/properties/priority": between("priority"),
        "schemas/KeyEnteredFor": {"enum": WORDS["key_entered_for"]},
        "schemas/Reason": {"enum": WORDS["reason"]},
        "schemas/FinishReason": {"enum": WORDS["finish_reason"]},
        "schemas/PlaygroundRequest/properties/message": length("message"),
        "schemas/PlaygroundRequest/properties/system": length("system_prompt"),
        "schemas/PlaygroundRequest/properties/temperature": between("temperature"),
        "schemas/PlaygroundRequest/properties/maxTokens": between("max_tokens"),
        "schemas/Images": {"maxItems": NUMBERS["max_images"]},
        "schemas/Images/items/properties/type": {"enum": WORDS["image_type"]},
        "schemas/Images/items/properties/data": {"maxLength": -(-NUMBERS["max_image_bytes"] // 3) * 4},
        "schemas/PlaygroundRequest/properties/history": {"maxItems": NUMBERS["max_history"]},
        "schemas/PlaygroundRequest/properties/history/items/properties/role": {"enum": WORDS["role"]},
        "schemas/PlaygroundRequest/properties/history/items/properties/content": length("history_content"),
    }  # fmt: skip
    # Lists of words of the schema alone.
    OWN = {
        "schemas/LoginForm/properties/rememberMe", "schemas/ErrorFrame/properties/code", "schemas/FinishWord",
        "parameters/LinkKind/schema", "schemas/PasskeyForm/properties/NewAlgorithm",
        "schemas/WebServerError/properties/error/properties/code", "schemas/WebServerError/properties/error/properties/type",
    }  # fmt: skip
    BOUNDS = frozenset("minLength maxLength minimum maximum minItems maxItems enum".split())
    SHAPE = ({"minLength": 1}, {"minimum": 0}, {"minimum": 1})

    def constraints(self, node, path=()):
        if isinstance(node, list):
            for index, item in enumerate(node):
                yield from self.constraints(item, (*path, str(index)))
        if not isinstance(node, dict):
            return
        found = {word: node[word] for word in self.BOUNDS & node.keys()}
        if found and found not in self.SHAPE:
            yield "/".join(path), found
        for name, child in node.items():
            yield from self.constraints(child, (*path, name))

    def test_every_bound_is_of_the_table(self):
        document = yaml.safe_load(text("docs/openapi.yaml"))
        found = dict(self.constraints(document["components"]))
        for path in self.OWN:
            del found[path]
        self.maxDiff = None
        self.assertEqual(found, self.EXPECTED)
        self.assertEqual(dict(self.constraints(document["paths"])), {})


class Database(unittest.TestCase):
    """The catalogue of the migrated one: constraints, functions and triggers. Exactly the rule where the text is kept
    as it was checked; room enough where it is kept in another form (sealed, case-folded). No build writes the numbers:
    a migration that was released keeps its text when a rule changes, and a later one says the new number."""

    EXACTLY = {
        ("users", "display_name"): (NUMBERS["min_display_name"], NUMBERS["max_display_name"]),
        ("users", "email"): (None, NUMBERS["max_email"]),
        ("email_changes", "email"): (None, NUMBERS["max_email"]),
        ("providers", "name"): (NUMBERS["min_provider_name"], NUMBERS["max_provider_name"]),
        ("providers", "base_url"): (None, NUMBERS["max_base_url"]),
        ("providers", "health_message"): (None, NUMBERS["max_health_message"]),
        ("models", "model_id"): (NUMBERS["min_model_id"], NUMBERS["max_model_id"]),
        ("models", "display_name"): (1, NUMBERS["max_model_name"]),
        ("accounts", "name"): (NUMBERS["min_account_name"], NUMBERS["max_account_name"]),
        ("passkeys", "name"): (NUMBERS["min_token_name"], NUMBERS["max_token_name"]),
        ("access_tokens", "name"): (NUMBERS["min_token_name"], NUMBERS["max_token_name"]),
        ("access_tokens", "provider_ids"): (1, NUMBERS["max_providers"]),
        ("access_tokens", "models"): (1, NUMBERS["max_token_models"]),
        ("access_tokens", "max_requests_a_minute"): (
            NUMBERS["min_requests_a_minute"], NUMBERS["max_requests_a_minute"]),
        ("usage", "model"): (None, NUMBERS["max_model_id"]),
        ("provider_headers", "name"): (None, NUMBERS["max_header_name"]),
        ("accounts", "priority"): (NUMBERS["min_priority"], NUMBERS["max_priority"]),
        ("accounts", "health_message"): (None, NUMBERS["max_health_message"]),
        ("providers", "recent_errors"): (None, NUMBERS["max_key_errors"]),
        ("accounts", "recent_errors"): (None, NUMBERS["max_key_errors"]),
        ("outbox", "reason"): (None, NUMBERS["max_explanation"]),
        ("legacy_vault", "label"): (None, NUMBERS["max_account_name"]),
        ("legacy_vault", "base_url"): (None, NUMBERS["max_base_url"]),
    }
    AT_LEAST = {
        # A code point's full case folding is at most three times as long in UTF-8.
        ("users", "normalized_email"): 3 * NUMBERS["max_email"],
        ("email_changes", "normalized_email"): 3 * NUMBERS["max_email"],
        ("models", "capabilities"): len(",".join(WORDS["capability"])),
        ("providers", "sealed_key"): 2 * NUMBERS["max_api_key"],
        ("accounts", "sealed_key"): 2 * NUMBERS["max_api_key"],
        ("provider_headers", "sealed_key"): 2 * NUMBERS["max_header_value"],
        # A type, a space, a base URL.
        ("provider_headers", "key_address"): 40 + 1 + NUMBERS["max_base_url"],
        ("providers", "key_address"): 40 + 1 + NUMBERS["max_base_url"],
        ("accounts", "key_address"): 40 + 1 + NUMBERS["max_base_url"],
        ("legacy_vault", "sealed"): 2 * NUMBERS["max_api_key"],
        ("avatars", "sealed"): NUMBERS["max_avatar_bytes"] + KIB,
        ("access_tokens", "max_tokens_a_day"): NUMBERS["max_tokens_a_day"],
    }
    ONE_OF = {
        ("providers", "status"): WORDS["status"],
        ("providers", "health_status"): WORDS["health"],
        ("accounts", "health_status"): WORDS["health"],
        ("avatars", "media_type"): WORDS["avatar_type"],
        ("passkeys", "algorithm"): [],  # numbers
    }
    # Values that no caller gives: ciphertexts, hashes, hints and states of our own.
    OWN = {
        ("users", "password_hash"), ("ring_keys", "role"), ("providers", "key_hint"),
        ("machine_rings", "machine"), ("machine_rings", "ring"), ("policy", "second_factor"),
        ("accounts", "key_hint"), ("outbox", "sealed"), ("outbox", "state"),
        ("sessions", "browser"), ("sessions", "client_address"), ("sign_ins", "deed"), ("sign_ins", "shown"),
        ("passkeys", "credential_id"), ("passkeys", "public_key"), ("passkeys", "counter"), ("passkeys", "rp_id"), ("events", "kind"), ("events", "about"),
        ("events", "browser"), ("events", "client_address"), ("legacy_vault", "kind"),
        ("legacy_vault", "stays"), ("token_uses", "network"),
        ("provider_lists", "build"), ("provider_lists", "document"), ("freed_handles", "handle"), ("outbox", "attempts"),
        ("calls", "reserved_tokens"), ("usage", "calls"), ("usage", "failures"), ("usage", "estimates"), ("usage", "input_tokens"),
        ("usage", "output_tokens"),
    }  # fmt: skip

    _SIZE = r"(?:(?:(?:char|octet|jsonb_array)_length|cardinality)\((?P<sized>\w+)\)|(?P<plain>\w+))"
    _BOUND = re.compile(rf"\({_SIZE} (?P<way>[<>]=) '?(?P<number>\d+)(?:'::bigint)?\)")
    _LIST = re.compile(r"\((?P<column>\w+) = ANY \(ARRAY\[(?P<words>[^]]*)\]")

    @classmethod
    def setUpClass(cls):
        folder = Folder()
        cls.addClassCleanup(folder.remove)
        postgres = Postgres(folder.sub("postgres"), folder.run / "postgres", folder.log("postgres"))
        cls.addClassCleanup(postgres.stop, "immediate")
        postgres.start()
        cls.postgres = postgres
        postgres.prepare_database(REPOSITORY / "sql" / "roles.sql")
        subprocess.run(
            [programs() / "usershellctl", "--database", postgres.conninfo(OWNER), "migrate"],
            check=True,
            capture_output=True,
        )
        rows = postgres.psql(
            "-c",
            "SELECT t.relname, pg_get_constraintdef(c.oid) FROM pg_constraint c "
            "JOIN pg_class t ON t.oid = c.conrelid WHERE c.contype = 'c' "
            "AND c.connamespace = 'usershell'::regnamespace",
        )
        cls.checks = [tuple(row.split("|", 1)) for row in rows.splitlines()]

    def test_bounds(self):
        found = {}
        for table, check in self.checks:
            for bound in self._BOUND.finditer(check):
                column = (table, bound["sized"] or bound["plain"])
                lower, upper = found.get(column, (None, None))
                number = int(bound["number"])
                found[column] = (number, upper) if bound["way"] == ">=" else (lower, number)
        for column, least in self.AT_LEAST.items():
            with self.subTest(column=column):
                self.assertGreaterEqual(found.pop(column)[1], least)
        for column in self.OWN & found.keys():
            del found[column]
        self.maxDiff = None
        self.assertEqual(found, self.EXACTLY)

    LINES = {
        ("users", "email"), ("users", "normalized_email"), ("users", "display_name"), ("sessions", "browser"),
        ("providers", "name"), ("models", "model_id"), ("models", "display_name"), ("accounts", "name"),
        ("email_changes", "email"), ("email_changes", "normalized_email"), ("legacy_vault", "label"), ("access_tokens", "name"),
        ("passkeys", "name"),
    }  # fmt: skip

    def test_characters(self):
        """A line of text has none that handlers refuse, and may have every other one."""
        find = re.compile(r"\((\w+) !~ '(\[[^']*\])'::text\)")
        found = [(table, *part) for table, check in self.checks for part in find.findall(check)]
        classes = {tuple(line): pattern for *line, pattern in found}
        self.assertEqual(classes.keys(), self.LINES)
        (pattern,) = set(classes.values())
        self.assertEqual(self.matching(pattern), _RULES["controls"])

    NAMES = {
        ("users", "display_name"), ("providers", "name"), ("models", "display_name"), ("accounts", "name"),
        ("access_tokens", "name"), ("passkeys", "name"),
    }  # fmt: skip

    def test_names_that_show_nothing(self):
        find = re.compile(r"\((\w+) ~ '(\[\^[^']*\])'::text\)")
        found = {(table, column): pattern for table, check in self.checks for column, pattern in find.findall(check)}
        self.assertEqual(found.keys(), self.NAMES)
        (pattern,) = set(found.values())
        self.assertEqual(self.matching(pattern.replace("[^", "[")), _RULES["unseen"])

    def matching(self, pattern):
        """The code points."""
        found = self.postgres.psql(
            "-c",
            "SELECT string_agg(c::text, ' ' ORDER BY c) FROM generate_series(1, 1114111) c "
            f"WHERE c NOT BETWEEN 55296 AND 57343 AND chr(c) ~ '{pattern}'",
        )
        return [int(c) for c in found.split()]

    # The numbers from 3 on in the bodies of functions, and those that triggers hand over, in their order.
    CAPS = {
        "bound_rows of accounts": [NUMBERS["max_accounts"]],
        "bound_rows of models": [NUMBERS["max_models"]],
        "bound_rows of provider_headers": [NUMBERS["max_headers"]],
        "bound_rows of providers": [NUMBERS["max_providers"]],
        "drop_oldest_mails": [NUMBERS["max_mails"] - 1],  # leaves room for the new one
        "end_oldest_sessions": [NUMBERS["max_sessions"] - 1],
        "fold_legacy_entry": [NUMBERS["max_providers"], NUMBERS["max_priority"], NUMBERS["max_accounts"]],
        "health_reports": [NUMBERS["max_key_cooldown"]],
        "latest_usage": [NUMBERS["max_usage_days"], 50000],
        "make_token": [NUMBERS["max_access_tokens"]],
        "token_end": [NUMBERS["max_token_days"] + 1, 86400],
        "max_calls": [NUMBERS["max_calls"]],
        "max_token_calls": [NUMBERS["max_token_calls"]],
        "add_factor": [NUMBERS["max_passkeys"]],
        "start_email_change": [
            NUMBERS["max_email_attempts_an_hour"], NUMBERS["max_email_mails_an_hour"],
            NUMBERS["email_link_lifetime"] // 3600, 3600],
        "sweep_tokens": [7, 7, NUMBERS["max_usage_days"]],  # days before the end of a token
        "with_error": [NUMBERS["max_key_errors"]],
    }  # fmt: skip
    # Functions whose numbers are their own: bounds that no program reaches, batches, formats and made-up values.
    OWN_CAPS = {
        "announcements_left", "ask_password_reset", "batch_size", "code_of", "cost_of", "count_guess", "counted_tokens",
        "end_calls", "find_password", "find_recipient", "free_handle", "guard_model_name", "guard_names", "is_counted",
        "latest_events", "legacy_address", "made_up_salt_and_cost", "masked_with", "max_announcements_an_hour",
        "max_freed_handles", "microseconds", "note_event", "open_sign_in", "random_stamp", "renew_token",
        "report_ring", "require_recent", "set_handle", "show_passkey", "slot_end", "start_session", "step_of", "store_recovery_codes",
        "swap_envelope", "sweep_events", "sweep_leftovers", "take_attempt", "take_code", "take_guess", "usage_sums",
    }  # fmt: skip

    def test_the_caps_of_functions_and_triggers(self):
        """Of the migrated database: which migration said a number last is all the same."""
        bodies = self.listed(
            "SELECT json_agg(json_build_array(p.proname, coalesce(pg_get_function_sqlbody(p.oid), p.prosrc))) "
            "FROM pg_proc p WHERE p.pronamespace = 'usershell'::regnamespace AND p.prokind = 'f'")  # fmt: skip
        given = self.listed(
            "SELECT json_agg(json_build_array(p.proname || ' of ' || c.relname, encode(t.tgargs, 'escape'))) "
            "FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid JOIN pg_class c ON c.oid = t.tgrelid "
            "WHERE t.tgnargs > 0 AND p.pronamespace = 'usershell'::regnamespace")  # fmt: skip
        found = {}
        for name, body in bodies + [(name, arguments.replace("\\000", "")) for name, arguments in given]:
            code = re.sub(r"--.*|'0000[^']*'", "", body)  # without comments and the id of nobody
            numbers = [int(n) for n in re.findall(r"(?<![\w.$\\])(\d{2,}|[3-9])(?!\w)", code)]
            if numbers and name not in self.OWN_CAPS:
                found[name] = numbers
        self.maxDiff = None
        self.assertEqual(found, self.CAPS)

    def listed(self, query):
        return json.loads(self.postgres.psql("-c", query))

    def test_the_lives_of_links_and_sign_ins(self):
        lives = {table: re.findall(r"'(\d+:\d+):00'::interval", check) for table, check in self.checks if "_at <= (made" in check}
        longest, mailed = (NUMBERS[name] // 3600 for name in ("invitation_lifetime", "email_link_lifetime"))
        links = {"password_resets": [f"{longest}:00", f"{mailed}:00"], "email_changes": [f"{mailed}:00"]}
        self.assertEqual(lives, {**links, "sign_ins": ["00:05"]})
        self.assertLessEqual(NUMBERS["reset_link_lifetime"] // 3600, mailed)

    def test_every_kind_of_event_has_its_sentence(self):
        found = (self._LIST.search(check) for table, check in self.checks if table == "events")
        (kinds,) = (each["words"] for each in found if each)
        shown = re.findall(r'\{"(\w+)", "', text("lib/auth/sessions.cpp").split("});")[0])
        self.assertEqual(shown, re.findall(r"'([^']*)'::text", kinds))

    def test_lists_of_words(self):
        lists = [(table, self._LIST.search(check)) for table, check in self.checks]
        found = {
            (table, found["column"]): re.findall(r"'([^']*)'::text", found["words"])
            for table, found in lists
            if found and (table, found["column"]) not in self.OWN
        }
        self.assertEqual(found, self.ONE_OF)


class Nginx(unittest.TestCase):
    """nginx lets through what the programs take, and a little more, so that they answer in their own
    words; its buffers are as large, so that no body touches a disk."""

    SLACK = 32 * KIB

    def test_bodies(self):
        snippet = text("deploy/nginx/snippets/server.conf")
        names = ("json", "image", "image", "large_json", "multipart")
        sizes = re.findall(r"client_max_body_size (\d+)k;", snippet)
        for size, name in zip(sizes, names, strict=True):
            limit = NUMBERS[f"max_{name}_body"]
            self.assertTrue(limit < int(size) * KIB <= limit + self.SLACK, (size, limit))
        self.assertEqual(NUMBERS["max_json_body"], NUMBERS["max_form_body"])
        buffers = re.findall(r"client_max_body_size (\d+)k;\s+client_body_buffer_size (\d+)k;", snippet)
        self.assertEqual([size for size, buffer in buffers if size != buffer], [sizes[1]])
        self.assertEqual(len(buffers), len(sizes) - 1)  # but for the one that holds no body

    def test_a_large_body_of_the_playground_is_held_by_neither(self):
        """nginx passes it on as it arrives, and the program reads it so: both by one size."""
        held = int(re.search(r"28704k;\s+client_body_buffer_size (\d+)k;", text("deploy/nginx/snippets/server.conf"))[1])
        self.assertLess(NUMBERS["min_late_body"], held * KIB)
        large = re.search(r'"~(\S+)"\s+1;\n}\n\n# usershell-execute answers', text("deploy/nginx/snippets/http.conf"))[1]
        for size in (0, 1, NUMBERS["min_late_body"] - 1, NUMBERS["min_late_body"], NUMBERS["max_image_body"]):
            for said_so in (f"{size}", f"000{size}"):
                self.assertEqual(bool(re.search(large, said_so)), size >= NUMBERS["min_late_body"], said_so)

    def test_the_statuses_that_calls_may_answer_are_those_of_the_contract(self):
        listed = re.findall(r"^    \{(\d+), .*\bcalls\b", text("lib/web/status.hpp"), re.MULTILINE)
        codes = re.search(r"^\| Codes \|.*$", text("docs/contract.md"), re.MULTILINE)[0]
        self.assertEqual({*listed}, {"200", *re.findall(r"` (\d{3})\b", codes)})

    def test_forms_that_anybody_can_send_have_a_limit_of_their_own(self):
        key = re.search(r'"~(\^POST \S+)"\s+\$usershell_client;', text("deploy/nginx/snippets/http.conf"))[1]
        open_routes = re.findall(r'open\(post, "([^"]+)"', text("lib/auth/routes.cpp"))
        self.assertEqual([p for p in open_routes if not re.search(key, f"POST {p}")], [])


class Tools(unittest.TestCase):
    """What nginx lets through below /v1."""

    CONF = text("deploy/nginx/snippets/api.conf")

    def test_each_route_is_known_without_its_version(self):
        location = re.search(r"^location ~ (\S+) \{", self.CONF, re.M)[1]
        for path in _RULES["routes"]:
            for base in ("", "/v1", "/openai/v1", "/api//v1", "/v1beta", "/anthropic"):
                self.assertRegex(base + path, location)
            for own in ("/user", "/auth", "/user/v1", "/assets/api"):
                self.assertNotRegex(own + path, location)

    def test_types_of_sound_are_those_of_the_program(self):
        types = re.findall(r'"(audio/\w+)"\}', text("lib/adapters/reading/answer_form.cpp"))
        self.assertEqual(set(re.findall(r'"(audio/\w+)"', text("deploy/nginx/lua/usershell/answers.lua"))), set(types))
        described = re.findall(r"^        (audio/\w+):", text("docs/openapi.yaml"), re.M)
        self.assertEqual(set(described), set(types))


class Pages(unittest.TestCase):
    """They say no number of the table by themselves, and no list."""

    def test_templates(self):
        known = {name.upper() for name in NUMBERS} | {f"{name.upper()}_WORDS" for name in WORDS}
        for path in (REPOSITORY / "templates").glob("*.tpl"):
            page = path.read_text(encoding="utf-8")
            with self.subTest(page=path.name):
                own = r'\b(?:min|max|minlength|maxlength|accept|data-max\S*)="[^{"]'
                self.assertEqual(re.findall(own, page), [])
                used = set(re.findall(r"\{\{((?:MIN|MAX)_\w+|\w+_WORDS)\}\}", page))
                self.assertLessEqual(used, known)

    def test_scripts(self):
        told = {n for n in NUMBERS.values() if n > 1024}
        for path in (REPOSITORY / "deploy" / "nginx" / "assets").rglob("*.js"):
            script = path.read_text(encoding="utf-8")
            with self.subTest(script=path.name):
                numbers = {int(n) for n in re.findall(r"\b\d+\b", re.sub(r"http\S+", "", script))}
                self.assertEqual(numbers & told - TIMES - CHANCE, set())
                words = set(re.findall(r"'(\w+)'", script))
                self.assertLess(len(words & set(WORDS["capability"])), 3)


class Units(unittest.TestCase):
    """systemd keeps usershell-execute from the networks that lib/domain/address calls not public: the same ones."""

    def test_what_is_denied_is_what_is_not_public(self):
        def merged(networks):
            found = [ipaddress.ip_network(word) for word in networks]
            return [list(ipaddress.collapse_addresses(n for n in found if n.version == version)) for version in (4, 6)]

        table = _RULES["networks"]
        outside = map(str, ipaddress.ip_network("::/0").address_exclude(ipaddress.ip_network(*table["global"])))
        lines = re.findall(r"^IPAddressDeny=(.*)$", text("systemd/usershell-execute@.service"), re.MULTILINE)
        self.assertEqual(merged(" ".join(lines).split()), merged([*table["special"], *outside]))


class Settings(unittest.TestCase):
    """The contract lists every setting as the programs take it."""

    def row(self, setting):
        programs = ", ".join(name.removeprefix("usershell-") for name in setting["programs"])
        unset = f"`{setting['default']}`" if setting["default"] else ""
        bounds = f" {said(setting['min'])} to {said(setting['max'])}" if setting["max"] else ""
        return f"| `{setting['name']}` | {programs} | {unset} | {setting['value']}{bounds} |"

    def test_the_contracts_list(self):
        section = text("docs/contract.md").split("\n## 8. ", 1)[1].split("\n## 9. ", 1)[0]
        found = re.findall(r"^\| `.*\|$", section, re.M)
        self.maxDiff = None
        self.assertEqual(found, [self.row(setting) for setting in _RULES["settings"]])


class Sentences(unittest.TestCase):
    """Where a document says a rule in words."""

    OPENAPI = (
        f"at most {NUMBERS['max_calls']} of these under way at a time",
        f"After {NUMBERS['free_sign_in_tries']} failures",
        f"at most {NUMBERS['max_providers']} a user",
        f"at most {NUMBERS['max_models']} a provider",
        f"at most {NUMBERS['max_accounts']} a provider",
        f"at most {said(NUMBERS['max_listed_models'])};",
        f"at most {NUMBERS['max_avatar_bytes'] // KIB} KiB and"
        f" {said(NUMBERS['max_avatar_side'])} by {said(NUMBERS['max_avatar_side'])} pixels",
        f"more than {NUMBERS['max_json_body'] // KIB} KiB;"
        f" of the playground and the import, more than {NUMBERS['max_large_json_body'] // KIB // KIB} MiB"
        f" without images. With them, more than {NUMBERS['max_image_body'] // KIB // KIB} MiB.",
        f"{NUMBERS['max_calls']} calls are under way",
        f"at most {NUMBERS['max_batch_requests']} requests are made",
        f"with a picture, more than {NUMBERS['max_multipart_body'] // KIB} KiB",
        f"1 to {NUMBERS['max_provider_name']} characters, no control characters",
        ", ".join(f"`{word}`" for word in WORDS["capability"]),
    )
    CONTRACT = (
        f"at most {NUMBERS['max_json_body'] // KIB} KiB (the playground's and the import's"
        f" {NUMBERS['max_large_json_body'] // KIB // KIB} MiB:",
        f"with images {NUMBERS['max_image_body'] // KIB // KIB} MiB",
        f"at most {NUMBERS['max_images']} a message, {NUMBERS['max_image_bytes'] // KIB // KIB} MiB each and"
        f" {NUMBERS['max_all_image_bytes'] // KIB // KIB} MiB in a conversation",
        f"from {said(NUMBERS['min_late_body'])} bytes on",
        ", ".join(f"`{word}`" for word in WORDS["image_type"]),
        f"at most {NUMBERS['max_json_depth']} levels deep and {said(NUMBERS['max_json_values'])} values,"
        f" {NUMBERS['max_json_members']} members in an object",
        f"at most {NUMBERS['max_batch_requests']} requests are made",
        f"at most {NUMBERS['max_call_requests']} requests to providers a call; {NUMBERS['max_chat_work']} s of processor time",
        f"{NUMBERS['max_test_work']} s in a test or list",
        f"{NUMBERS['max_json_members']} members in an object of an answer",
        f"at most {said(NUMBERS['max_history'])} entries",
        f"a message of {said(NUMBERS['max_message'])} code points",
        f"growing delay after {NUMBERS['free_sign_in_tries']} failures",
        f"({default('session-idle', 3600)} h and {default('session-absolute', 86400)} days",
        "(" + ", ".join(f"`{word}`" for word in WORDS["finish_reason"]) + ")",
        f"connect {default('upstream-connect-timeout')} s, silence before the answer or in the middle"
        f" {NUMBERS['max_page_silence'] // 60} min (of a tool {default('upstream-silence-timeout', 60)}),"
        f" whole call {default('upstream-total-timeout', 60)} min",
        f"{NUMBERS['min_password_characters']} characters to {said(NUMBERS['max_password_bytes'])} bytes",
        f"1 to {NUMBERS['max_provider_name']} code points, no control characters",
        f"at most {said(NUMBERS['max_base_url'])} bytes",
        f"1 to {said(NUMBERS['max_api_key'])} bytes, visible ASCII only",
        f"at most {NUMBERS['max_headers']} (400 `cap_reached`), sent with every request",
        f"1 to {NUMBERS['max_header_name']} of `a` to `z`, `0` to `9` and `-`, a letter first",
        f"1 to {said(NUMBERS['max_header_value'])} visible ASCII characters and spaces",
        f"at least {NUMBERS['min_secret_header']} characters is looked for",
        ", ".join(f"`{word}`" for word in WORDS["refused_header"]),
        ", ".join(f"`{word}`" for word in WORDS["provider_type"][:25]),
        f"1 to {NUMBERS['max_model_id']} characters",
        "{}, {}, {} or {} is 400 on add".format(*(f"`{word}`" for word in WORDS["not_in_path"])),
        f"at most {NUMBERS['max_models']} (400 `cap_reached`)",
        f"at most {NUMBERS['max_accounts']} (400 `cap_reached`)",
        f"at most {said(NUMBERS['max_listed_models'])}",
        ", ".join(f"`{word}`" for word in WORDS["capability"]),
        f"priority {NUMBERS['min_priority']} to {said(NUMBERS['max_priority'])}",
        f"skipped for {NUMBERS['refused_key_cooldown'] // 60} minutes",
        f"(else {NUMBERS['limited_key_cooldown']} s)",
        f"per user {NUMBERS['max_calls']} calls at a time",
        f"answer at most {NUMBERS['max_answer'] // KIB // KIB} MiB",
        f"test answer at most {NUMBERS['max_test_answer'] // KIB} KiB",
        f"list answer at most {NUMBERS['max_list_answer'] // KIB // KIB} MiB",
        f"1 to {said(NUMBERS['max_message'])} code points",
        f"at most {NUMBERS['max_email']} bytes",
        f"limited to {NUMBERS['max_email_attempts_an_hour']} an hour",
        f"at most {NUMBERS['max_sessions']} a user: one more ends the oldest",
        f"at most {NUMBERS['max_access_tokens']} a user",
        f"1 to {NUMBERS['max_handle']} of `a` to `z`",
        f"`Name`: trimmed, 1 to {NUMBERS['max_token_name']} code points",
        f"`Days`: {NUMBERS['min_token_days']} to {NUMBERS['max_token_days']}",
        f"`RequestsAMinute`: 1 to {said(NUMBERS['max_requests_a_minute'])}",
        f"`TokensADay`, 1 to {said(NUMBERS['max_tokens_a_day'])}",
        f"enabled ones, at most {NUMBERS['max_token_models']}",
        f"all usage that is kept, {NUMBERS['max_usage_days']} days",
        "for each of " + ", ".join(f"`{word}`" for word in WORDS["token_route"]),
        f"the newest {NUMBERS['max_mails']} of a kind a user",
        f"at most {NUMBERS['max_email_mails_an_hour']} mails an hour",
        f"{NUMBERS['email_link_lifetime'] // 3600} h, once",
        f"the last {NUMBERS['max_shown_events']} (at most {NUMBERS['max_shown_events_of_kind']} of a kind:",
        f"at most {said(NUMBERS['max_avatar_side'])} × {said(NUMBERS['max_avatar_side'])} pixels",
    )

    def assert_says(self, path, sentences):
        content = " ".join(text(path).split())
        for sentence in sentences:
            with self.subTest(path=path, sentence=sentence):
                self.assertIn(sentence, content)

    def test_the_documents_say_what_the_table_says(self):
        self.assert_says("docs/openapi.yaml", self.OPENAPI)
        self.assert_says("docs/contract.md", self.CONTRACT)
        rows = [f"| `/v1{path}` | {', '.join(labels)} |" for path, labels in _RULES["routes"].items()]
        self.assert_says("docs/use-with-your-tools.md", rows)
        size = f"{NUMBERS['max_avatar_bytes'] // KIB} KiB"
        self.assert_says("deploy/nginx/errors.html", (f"An image may have {size}.",))
        self.assert_says("templates/languages/de.json", (f"Ein Bild darf {size} haben.",))

    def test_a_section_that_is_cited_is_there(self):
        sections = set(re.findall(r"^## (\d)\.", text("docs/contract.md"), re.M))
        cited = {}
        for folder in ("lib", "fcgi", "ctl", "deploy", "tests/cases"):
            for path in (REPOSITORY / folder).rglob("*.*"):
                content = path.read_text(encoding="utf-8")
                for numbers in re.findall(r"contract\.md,\s(?:// |# )?sections? ([\d to]+)", content):
                    cited |= dict.fromkeys(re.findall(r"\d", numbers), path)
        self.assertGreater(len(cited), 5)
        self.assertEqual(cited.keys() - sections, set(), cited)
