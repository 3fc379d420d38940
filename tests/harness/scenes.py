"""The first steps that many tests share: a provider that points at the stub, with a model."""

MODEL = "stub-small"
KEY = "sk-test-0123456789abcdef"
ROUTE = "/user/providers"


def provider(client, base_url, key=KEY, kind="generic-compatible", name="Stub", models=(MODEL,)):
    """Registers a provider with these models; returns its id."""
    body = {"name": name, "type": kind, "baseUrl": base_url, "apiKey": key}
    answer = client.post(f"{ROUTE}/create", body)
    assert answer.status == 200, f"create answered {answer.status}: {answer.text}"
    provider_id = answer.json()["id"]
    for model in models:
        answer = client.post(f"{ROUTE}/{provider_id}/models", {"modelId": model})
        assert answer.status == 200, f"adding a model answered {answer.status}: {answer.text}"
    return provider_id


def listed(client, provider_id):
    """The provider as the list shows it, None when it is not there."""
    providers = client.get(f"{ROUTE}/list").json()["providers"]
    return next((p for p in providers if p["id"] == provider_id), None)


def ask(provider_id, message="ping", stream=False, **more):
    """A playground request."""
    return {"providerId": provider_id, "message": message, "stream": stream, **more}


def account(client, provider_id, key, name=None, priority=None):
    """Adds an account with this key, named like it unless told otherwise; returns its id."""
    body = {"name": name or key, "apiKey": key}
    if priority is not None:
        body["priority"] = priority
    answer = client.post(f"{ROUTE}/{provider_id}/accounts", body)
    assert answer.status == 200, f"adding an account answered {answer.status}: {answer.text}"
    return answer.json()["id"]


def rotating(client, base_url, keys, **more):
    """A provider that rotates over accounts with these keys, in this order; returns its id."""
    provider_id = provider(client, base_url, **more)
    for key in keys:
        account(client, provider_id, key)
    answer = client.call("PUT", f"{ROUTE}/{provider_id}", {"roundRobinAccounts": True})
    assert answer.status == 200, f"edit answered {answer.status}: {answer.text}"
    return provider_id


def remove_all(client):
    """Deletes every provider of that person."""
    for row in client.get(f"{ROUTE}/list").json()["providers"]:
        client.call("DELETE", f"{ROUTE}/{row['id']}")
