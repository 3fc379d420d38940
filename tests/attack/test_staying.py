"""Whoever has a stolen session: how they could stay when its owner, or the operator, acts."""


import functools

import book
from harness.crowd import together
from harness.scenes import PROFILE, ROUTE, ask_for_address, id_of, mailed_link, may_sign_in
from scene import Thief, the_scene

_OLD_PASSWORD = "the old words of Ada 5"
_NEW_PASSWORD = "the newer words of Ada 6"
_NOBODYS = "5f6f1c0e-0000-4000-8000-0000000000bb"
_STAMP = "the security stamp"


def setUpModule():
    global scene, stack
    scene = the_scene()
    stack = scene.stack


_GOOD, _DEAD = (200, 404), (401, 401)


def at_the_pools(client):
    """What the two pools answer to its cookies, the executing one about a provider that is another's."""
    return (client.get(f"{ROUTE}/list").status, client.get(f"{ROUTE}/{_NOBODYS}/models/available").status)


class Staying(Thief):
    who = book.SESSION

    def test_taking_the_account_over(self):
        """The password was given some while ago."""
        client = stack.newcomer()
        client.get(PROFILE)
        stack.sql(f"UPDATE usershell.sessions SET signed_in_at = now() - interval '1 hour' WHERE {of(client)}")
        stolen = client.clone()
        new = f"thief-{client.email}"
        for fields in ({}, {"CurrentPassword": "a guess of the thief's"}):
            self.assertEqual(ask_for_address(stolen, new, **fields).status, 200)
        self.assertEqual(stack.sql(f"SELECT count(*) FROM usershell.email_changes WHERE {of(client)}"), "0")
        self.stopped("change the address", "the password is asked for")
        for given in ("", "a guess of the thief's"):
            fields = {"CurrentPassword": given, "NewPassword": _NEW_PASSWORD}
            self.assertEqual(stolen.form(f"{PROFILE}/password", fields, page=PROFILE).status, 200)
        self.assertTrue(may_sign_in(stack, client.email, client.password))
        self.stopped("set another password", "the current one is asked for")
        kept = stolen.clone()
        fields = {"CurrentPassword": client.password}
        self.assertEqual(ask_for_address(client, new, **fields).status, 303)
        self.assertEqual(at_the_pools(client), _GOOD)
        self.assertEqual(at_the_pools(kept), _DEAD)
        self.stopped("stay when the owner gives the password again", "the session gets new tokens")

    def test_a_race(self):
        """Sign-ins with the password that is being changed."""
        for _ in range(3):
            person = stack.new_person()
            visitors = [stack.visitor() for _ in range(4)]
            fields = {"email": person[0], "password": person[1]}
            attempts = [lambda v=v: v.form("/auth/login", fields).status for v in visitors]
            change = functools.partial(stack.ctl, "user", "passwd", person[0], stdin=f"{_NEW_PASSWORD}\n")
            together(change, *attempts)
            self.assertEqual({at_the_pools(visitor) for visitor in visitors}, {_DEAD})
        self.stopped("sign in with a password at the moment when it is changed",
                     "a session carries the stamp under which the password was verified")  # fmt: skip


def of(client):
    return f"owner_id = '{id_of(stack, client)}'"


class Target:
    """A person whose session was stolen while a link to set a password and one to change the address
    were on their way."""

    def __init__(self):
        self.client = stack.newcomer()
        self.new = f"new-{self.client.email}"
        assert ask_for_address(self.client, self.new).status == 303
        assert stack.visitor().form("/auth/forgot", {"email": self.client.email}).status == 200
        self.stolen = self.client.clone()
        self.stolen.learn_token()

    def collect(self):
        self.change = mailed_link(stack, self.new)
        self.reset = mailed_link(stack, self.client.email)

    def profile_form(self, path, **fields):
        answer = self.client.form(f"{PROFILE}/{path}", fields, page=PROFILE)
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
