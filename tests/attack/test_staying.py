"""A thief with a stolen session tries to stay when its owner, or the operator, acts."""

import functools
import time

import book
from harness.processes import wait_until
from harness.sanitizers import patient
from harness.scenes import PROFILE, ROUTE, SECURITY, ask, ask_for_address, id_of, mailed_link, may_sign_in, provider
from harness.suite import Later
from scene import Thief, the_scene

_OLD_PASSWORD = "the old words of Ada 5"
_NEW_PASSWORD = "the newer words of Ada 6"
_NOBODYS = "5f6f1c0e-0000-4000-8000-0000000000bb"
_STAMP = "the security stamp"
_RENEWED = "a call that is not renewed is ended"
_MINUTE = 60  # seconds

scene, stack = Later(the_scene), Later(lambda: the_scene().stack)

_GOOD, _DEAD = (200, 404), (401, 401)


def at_the_pools(client):
    """What the two pools answer to its cookies, the executing one about a provider that is another's."""
    return (client.get(f"{ROUTE}/list").status, client.get(f"{ROUTE}/{_NOBODYS}/models/available").status)


class Staying(Thief):
    who = book.SESSION

    def test_taking_the_account_over(self):
        """The password was given just now: that is not enough."""
        client = stack.newcomer()
        client.get(PROFILE)
        stolen = client.clone()
        new = f"thief-{client.email}"
        for given in ("", "a guess of the thief's"):
            self.assertEqual(ask_for_address(stolen, new, CurrentPassword=given).status, 200)
        self.assertEqual(stack.sql(f"SELECT count(*) FROM usershell.email_changes WHERE {of(client)}"), "0")
        self.stopped("change the address", "the password is asked for")
        for given in ("", "a guess of the thief's"):
            fields = {"CurrentPassword": given, "NewPassword": _NEW_PASSWORD}
            self.assertEqual(stolen.form(f"{PROFILE}/password", fields, page=SECURITY).status, 200)
        self.assertTrue(may_sign_in(stack, client.email, client.password))
        self.stopped("set another password", "the current one is asked for")
        kept = stolen.clone()
        fields = {"CurrentPassword": client.password}
        self.assertEqual(ask_for_address(client, new, **fields).status, 303)
        self.assertEqual(at_the_pools(client), _GOOD)
        self.assertEqual(at_the_pools(kept), _DEAD)
        self.stopped("stay when the owner gives the password again", "the session gets new tokens")


def of(client):
    return f"owner_id = '{id_of(stack, client)}'"


def endless(made):
    """A request whose answer takes longer than any test."""
    return ask(made, f"{made} " + "word " * 5000, stream=True)


def last_of(stream, deadline):
    """The last frame of a stream, or the one that comes after the deadline."""
    frame = {}
    for frame, _ in stream:
        if "token" not in frame or time.monotonic() > deadline:
            break
    return frame


class Target:
    """A person whose session was stolen while a link to set a password and one to change the address
    were on their way."""

    def __init__(self):
        self.client = stack.newcomer()
        self.new = f"new-{self.client.email}"
        assert ask_for_address(self.client, self.new).status == 303
        assert stack.visitor().form("/auth/forgot", {"email": self.client.email}).status == 200
        self.provider = provider(self.client, f"{stack.stub.url}/slow-500/v1")
        self.stolen = self.client.clone()
        self.stolen.learn_token()

    def collect(self):
        self.change = mailed_link(stack, self.new)
        self.reset = mailed_link(stack, self.client.email)

    def profile_form(self, path, **fields):
        answer = self.client.form(f"{PROFILE}/{path}", fields, page=SECURITY)
        assert answer.status in (302, 303), answer.text

    def password_changed(self):
        self.profile_form("password", CurrentPassword=self.client.password, NewPassword=_NEW_PASSWORD)
        self.client.password = _NEW_PASSWORD

    def password_reset(self):
        assert use_reset(self.reset, _NEW_PASSWORD) == 303
        self.client.password = _NEW_PASSWORD

    def password_by_operator(self):
        stack.ctl("user", "passwd", self.client.email, stdin=f"{_NEW_PASSWORD}\n")
        self.client.password = _NEW_PASSWORD

    def signed_out_everywhere(self):
        self.profile_form("sessions/end")

    def disabled(self):
        stack.ctl("user", "disable", self.client.email)

    def enabled_again(self):
        stack.ctl("user", "disable", self.client.email)
        stack.ctl("user", "enable", self.client.email)

    def provider_deleted(self):
        assert self.client.call("DELETE", f"{ROUTE}/{self.provider}").status == 204

    def provider_deactivated(self):
        assert self.client.post(f"{ROUTE}/{self.provider}/status", {"status": "inactive"}).status == 200

    def session_ended(self):
        session = stack.sql(f"SELECT id FROM usershell.sessions WHERE {of(self.client)}")
        self.profile_form(f"sessions/{session}/end")

    def deleted(self):
        self.profile_form("delete", CurrentPassword=self.client.password, ConfirmEmail=self.client.email)

    def address_changed(self):
        assert self.client.get(self.change).status == 303
        self.client.email = self.new


def use_reset(link, password):
    """The status of setting a password by that link."""
    visitor = stack.visitor()
    token = link.partition("token=")[2]
    return visitor.form("/auth/reset", {"token": token, "password": password}, page="/auth/login").status


class Events(Thief):
    """What happens, and whether the person can sign in afterwards."""

    who = book.SESSION
    EVENTS = (
        ("the owner has changed the password", Target.password_changed, True),
        ("the owner has reset the password by a link", Target.password_reset, True),
        ("the operator has set a password", Target.password_by_operator, True),
        ("the owner has signed out everywhere", Target.signed_out_everywhere, True),
        ("the operator has disabled the account", Target.disabled, False),
        ("the account was disabled and enabled again", Target.enabled_again, True),
        ("the owner's address has changed", Target.address_changed, True),
    )

    def test_after_every_event(self):
        targets = [Target() for _ in self.EVENTS]
        signed_out = Target()
        for target in targets:
            target.collect()
        for target, (words, deed, may_return) in zip(targets, self.EVENTS, strict=True):
            with self.subTest(event=words):
                self.assertEqual(at_the_pools(target.stolen), _GOOD)
                deed(target)
                self.assertEqual(at_the_pools(target.stolen), _DEAD)
                self.stopped(f"use the session after {words}", _STAMP)
                self.assertEqual(use_reset(target.reset, "of whoever reads the old mail"), 400)
                self.stopped(f"use a link to set a password after {words}", _STAMP)
                if may_return:
                    again = stack.sign_in(target.client)
                    self.assertEqual(again.get(target.change).status, 400)
                    self.stopped(f"have a pending change of address confirmed after {words}", _STAMP)
        signed_out.client.form("/auth/logout", {}, page=ROUTE)
        self.assertEqual(at_the_pools(signed_out.stolen), _DEAD)
        self.stopped("use the session after its owner has signed out of it", "the session's row is gone")

    ENDS = (
        *((words, deed) for words, deed, _ in EVENTS),
        ("the owner has ended the session", Target.session_ended),
        ("the owner has deleted the account", Target.deleted),
        ("the owner has deleted the provider", Target.provider_deleted),
        ("the owner has deactivated the provider", Target.provider_deactivated),
    )

    def test_a_call_that_runs(self):
        targets = [Target() for _ in self.ENDS]
        for target in targets:
            target.collect()
        streams = [target.stolen.stream(f"{ROUTE}/playground", endless(target.provider)) for target in targets]
        for stream in streams:
            self.enterContext(stream)
            self.assertIn("token", next(iter(stream))[0])
        for target, (_, deed) in zip(targets, self.ENDS, strict=True):
            deed(target)
        deadline = time.monotonic() + patient(_MINUTE)
        for stream, target, (words, _) in zip(streams, targets, self.ENDS, strict=True):
            last = last_of(stream, deadline)
            self.assertEqual((last.get("code"), last.get("reason")), ("conflict", "cancelled"), (words, last))
            self.assertEqual(stack.stub.wait_for(lambda e: e["ended"], marker=target.provider)["endedBy"], "peer")
            self.stopped(f"keep a call running after {words}", _RENEWED)

    def test_more_calls_than_places(self):
        client = stack.newcomer()
        made = provider(client, f"{stack.stub.url}/slow-500/v1")
        calls = functools.partial(stack.stub.journal, marker=made)
        for _ in range(3):
            for _ in range(8):
                stream = self.enterContext(client.stream(f"{ROUTE}/playground", endless(made)))
                if stream.status == 200:
                    next(iter(stream))
            self.assertLessEqual(sum(not entry["ended"] for entry in calls()), 8)
            client.form("/auth/logout", {}, page=ROUTE)
            client = stack.sign_in(client)
            client.learn_token()
        wait_until(lambda: all(entry["ended"] for entry in calls()), "the end of the calls", _MINUTE)
        test = f"{ROUTE}/{made}/test"
        wait_until(lambda: client.post(test).status == 200, "the store to know of a call's end", _MINUTE)
        self.stopped("have more than 8 calls under way by signing out and in", "a call counts until it has ended")

    def test_invitations(self):
        invited = [f"invited-{number}@example.org" for number in range(3)]
        for email in invited:
            words = ("user", "add", email, "--name", "Ina", "--invite")
            stack.ctl(*stack.ring_options("ctl"), *words)
        links = [mailed_link(stack, email) for email in invited]
        self.assertEqual(use_reset(links[0], _OLD_PASSWORD), 303)
        stack.ctl("user", "passwd", invited[1], stdin=f"{_OLD_PASSWORD}\n")
        stack.ctl("user", "disable", invited[2])
        stack.ctl("user", "enable", invited[2])
        deeds = ("it was used", "the operator has set a password", "the account was disabled and enabled again")
        for link, after in zip(links, deeds, strict=True):
            self.assertEqual(use_reset(link, _NEW_PASSWORD), 400)
            self.stopped(f"use an invitation after {after}", _STAMP)
