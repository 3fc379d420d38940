"""The web search and fetch services: one answer each, no stream. Path, header and
body identify the service. Formats: docs.tavily.com, api.search.brave.com,
docs.exa.ai, serper.dev, jina.ai/reader, docs.firecrawl.dev."""

from . import openai


def _hit(query, text="snippet"):
    return {"title": f"About {query}", "url": "https://example.org/1", text: f"Found: {query}"}


def _tavily_or_exa(request, body):
    query = body.get("query", "")
    if "x-api-key" in request.headers:
        return {"requestId": "stub", "results": [_hit(query, "text")]}
    return {"query": query, "results": [{**_hit(query, "content"), "score": 0.9}]}


def _serper(query):
    return {"organic": [{"title": query, "link": "https://example.org/1", "snippet": query}]}


def _firecrawl(path, query):
    hits = [_hit(query, "description")]
    return {"success": True, "data": {"web": hits} if "/v2/" in path else hits}


def answer(request, path):
    """(query, body) when the request is one of these services', else None."""
    body = request.json()
    if request.method == "GET" and path.endswith("/web/search"):
        query = request.query.get("q", "")
        return query, {"type": "search", "web": {"results": [_hit(query, "description")]}}
    if request.method == "GET" and path.startswith(("/http://", "/https://")):
        return path[1:], {"code": 200, "data": {"title": "Page", "content": "Text of the page"}}
    if request.method != "POST":
        return None
    if path.endswith(("/v1/search", "/v2/search")):
        return body.get("query", ""), _firecrawl(path, body.get("query", ""))
    if path.endswith("/search") and "q" in body:
        return body["q"], _serper(body["q"])
    if path.endswith("/search"):
        return body.get("query", ""), _tavily_or_exa(request, body)
    if path in ("", "/") and "q" in body:
        return body["q"], {"code": 200, "data": [_hit(body["q"], "description")]}
    return None


fault = openai.fault  # these services say no in shapes of their own; any JSON `error` will do
