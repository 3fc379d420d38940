"""Claude Code and Codex as a person starts them without a terminal: a question, a command that the model
asks for, and refusals. Each request is one that the provider's own address would get."""

import json
import unittest
from pathlib import Path

from common import CLAUDE, MODEL, address, agent, environment, stack, stub

# Its documents have a person write these into ~/.codex/config.toml.
PROVIDER = {"name": "Stub", "env_key": "STUB_KEY", "wire_api": "responses"}
ONCE = {"request_max_retries": 0, "stream_max_retries": 0}
FILE = "made_by_the_model.txt"


def requests(key):
    """(method, path, query) of what the provider was asked with that key."""
    return [(e["method"], e["path"], e["query"]) for e in stub().journal(key=key)]


class ClaudeCode(unittest.TestCase):
    """Its base URL is the address without /v1."""

    def asked(self, at, prompt, *words, **env):
        env = {"ANTHROPIC_BASE_URL": at["base"], "ANTHROPIC_MODEL": at["claude"], **env}
        env = environment(**env, CLAUDE_CODE_MAX_RETRIES="0", DISABLE_AUTOUPDATER="1")
        done, work = agent("claude", "-p", prompt, "--output-format", "json", *words, env=env)
        return json.loads(done.stdout), work

    def test_a_question_with_either_variable_and_both(self):
        for names in (("AUTH_TOKEN",), ("API_KEY",), ("AUTH_TOKEN", "API_KEY")):
            with self.subTest(names=names):
                at = address(f"claude-asks-{'-'.join(names)}-key")
                said, _ = self.asked(at, "claude asks", **{f"ANTHROPIC_{name}": at["key"] for name in names})
                self.assertFalse(said["is_error"], said)
                self.assertTrue(said["result"].endswith("claude asks"), said["result"])
                (entry,) = stub().journal(key=f"claude-asks-{'-'.join(names)}-key")
                self.assertEqual((entry["path"], entry["query"]), ("/v1/messages", {"beta": "true"}))
                self.assertTrue(entry["stream"])
                self.assertIn("claude-code-", entry["headers"]["anthropic-beta"])
                (row,) = stub().books(entry["key"])
                self.assertEqual(row["model"], CLAUDE)
                shown = said["usage"]
                self.assertEqual((row["input"], row["output"]), (shown["input_tokens"], shown["output_tokens"]))

    def test_a_command(self):
        at = address("claude-runs")
        call = json.dumps({"command": f"echo done > {FILE}", "description": "Writes"})
        said, work = self.asked(at, f"call Bash {call}", "--allowedTools", "Bash", ANTHROPIC_AUTH_TOKEN=at["key"])
        self.assertFalse(said["is_error"], said)
        self.assertEqual((work / FILE).read_text(encoding="utf-8"), "done\n")
        self.assertEqual(requests("claude-runs"), [("POST", "/v1/messages", {"beta": "true"})] * 2)

    def test_it_looks_for_models(self):
        at = address("claude-looks")
        discovery = {"CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY": "1"}
        self.asked(at, "claude looks", ANTHROPIC_AUTH_TOKEN=at["key"], **discovery)
        self.assertTrue(stack().nginx.has_logged('GET "/v1/models" '))

    def test_refusals(self):
        for status, sentence in ((401, "refused the key"), (404, "Check the base URL"), (529, "529")):
            with self.subTest(status=status):
                at = address(f"claude-{status}", f"status-{status}")
                said, _ = self.asked(at, "claude fails", ANTHROPIC_AUTH_TOKEN=at["key"])
                self.assertTrue(said["is_error"], said)
                self.assertIn(sentence, said["result"])


class Codex(unittest.TestCase):
    """Its base URL is the address with /v1, in a file."""

    def asked(self, at, prompt):
        """The events of a run, and its folder."""
        env = environment(STUB_KEY=at["key"])
        rows = {"base_url": f"{at['base']}/v1", **PROVIDER, **ONCE}
        lines = [f'model = "{at["model"]}"', 'model_provider = "stub"', "[model_providers.stub]"]
        lines += [f"{name} = {json.dumps(value)}" for name, value in rows.items()]
        config = Path(env["HOME"], ".codex", "config.toml")
        config.parent.mkdir()
        config.write_text("\n".join(lines), encoding="utf-8")
        words = ["--skip-git-repo-check", "--json", "--dangerously-bypass-approvals-and-sandbox"]
        done, work = agent("codex", "exec", *words, prompt, env=env)
        return [json.loads(line) for line in done.stdout.splitlines()], work

    def test_a_question(self):
        at = address("codex-asks")
        events, _ = self.asked(at, "codex asks")
        said = [e["item"]["text"] for e in events if e.get("item", {}).get("type") == "agent_message"]
        self.assertEqual(said, ["echo: codex asks"])
        self.assertEqual(requests("codex-asks"), [("POST", "/v1/responses", {})])
        (row,) = stub().books("codex-asks")
        shown = events[-1]["usage"]
        self.assertEqual((row["input"], row["output"]), (shown["input_tokens"], shown["output_tokens"]))
        self.assertEqual(row["model"], MODEL)

    def test_a_command(self):
        at = address("codex-runs")
        events, work = self.asked(at, f"call exec_command {json.dumps({'cmd': f'echo done > {FILE}'})}")
        self.assertEqual(events[-1]["type"], "turn.completed", events)
        self.assertEqual((work / FILE).read_text(encoding="utf-8"), "done\n")
        self.assertEqual(requests("codex-runs"), [("POST", "/v1/responses", {})] * 2)

    def test_refusals(self):
        refusals = {"status-400": "rejected the request", "status-401": "refused the key", "failed-1": "internal error"}
        for behaviour, sentence in refusals.items():
            with self.subTest(behaviour=behaviour):
                events, _ = self.asked(address(f"codex-{behaviour}", behaviour), "codex fails")
                self.assertEqual(events[-1]["type"], "turn.failed")
                self.assertIn(sentence, events[-1]["error"]["message"])
