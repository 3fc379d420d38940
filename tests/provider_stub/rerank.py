"""Rankings, as vLLM and others have them: the documents in their reverse order. Source: docs.vllm.ai, "Rerank API"."""

from . import openai

PATHS = "/rerank"  # how those of a ranking end
fault, headers = openai.fault, openai.headers


def read(request, path):
    body = request.json()
    chat = openai.chat_of({**body, "stream": False}, path, str(body.get("query", "")))
    chat.tokens = []
    chat.documents = len(body.get("documents") or [])
    return chat


def whole(chat, _text):
    results = [{"index": at, "relevance_score": 1 / (rank + 1)} for rank, at in enumerate(reversed(range(chat.documents)))]
    usage = {"prompt_tokens": chat.input, "total_tokens": chat.input}
    return {"id": "rerank-stub", "model": chat.model, "results": results, "usage": usage}
