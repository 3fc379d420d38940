"""The stack of the tests of calls: four executing workers, the base URLs of their types at the stub."""

from harness.scenes import MODEL
from harness.suite import shared_stack

TEST_TIMEOUT = 5  # seconds a check may take

DEPLOYMENTS = "/openai/deployments"
BEARER = ("authorization", "/chat/completions", "/models")
# One or two types of each protocol; every type: unit_adapters (requests).
# {type: (where its base URL ends, header of the key, path of a chat, path of the model list, if it has one)}
CHAT = {
    "openai": ("/openai/v1", *BEARER),
    "mistral": ("/mistral/v1", *BEARER),
    "cohere": ("/cohere/compatibility/v1", *BEARER[:2], None),
    "vllm": ("/vllm/v1", *BEARER),
    "generic-compatible": ("/generic/v1", *BEARER),
    "ollama": ("/ollama", "authorization", "/v1/chat/completions", "/api/tags"),
    "anthropic": ("/anthropic/v1", "x-api-key", "/messages", "/models"),
    "google-gemini": ("/gemini/v1beta", "x-goog-api-key", f"/models/{MODEL}:generateContent", "/models"),
    "azure-openai": ("/azure", "api-key", f"{DEPLOYMENTS}/{MODEL}/chat/completions", DEPLOYMENTS),
}
# {type: (where its base URL ends, header of the key, path of a search)}
SEARCH = {
    "tavily": ("/tavily", "authorization", "/search"),
    "brave-search": ("/brave/res/v1", "x-subscription-token", "/web/search"),
    "exa": ("/exa", "x-api-key", "/search"),
    "serper": ("/serper", "x-api-key", "/search"),
    "jina-reader": ("", "authorization", "/"),
    "firecrawl": ("/firecrawl", "authorization", "/v2/search"),
}


def calls_stack():
    ends = {kind: row[0] for kind, row in (CHAT | SEARCH).items()}
    settings = [("catalogue-base-url", f"{kind}={{stub}}{end}") for kind, end in ends.items()]
    settings.append(("upstream-test-timeout", TEST_TIMEOUT))
    return shared_stack(manage=1, execute=4, settings=settings)
