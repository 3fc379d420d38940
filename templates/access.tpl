{{%AUTOESCAPE context="HTML"}}
<div class="settings page-access">
  <nav class="settings-nav" aria-label="[[Settings]]">
    <ul>
      <li><a href="/user/settings/profile">[[Profile]]</a></li>
      <li><a href="/user/settings/security">[[Security]]</a></li>
      <li><a href="/user/settings/access" aria-current="page">[[Access]]</a>
        <ul>
          <li><a href="#tools">[[Connect your tools]]</a></li>
          <li><a href="#tokens">[[Access tokens]]</a></li>
          <li><a href="#make">[[New token]]</a></li>
          <li><a href="#usage">[[Usage]]</a></li>
        </ul>
      </li>
    </ul>
  </nav>
  <div class="sections">
    <h1>[[Access]]</h1>

    {{#MADE_NOW}}
    <section class="card pad" id="made" aria-labelledby="made-title" data-testid="token-made">
      <h2 id="made-title">[[Your new token]]</h2>
      <div class="note good">
        <p>[[Copy it now. It is not shown again.]]</p>
        <p class="secret"><code id="new-token" data-testid="new-token">{{TOKEN}}</code></p>
        <div class="row"><button type="button" data-copies="new-token" data-testid="copy-token" hidden>[[Copy]]</button></div>
      </div>
      <p class="muted">[[Anyone with this token can use your providers at your cost. It is filled in below.]]</p>
      {{#UNUSED}}<p role="status" data-seen="/user/settings/access/{{TOKEN_ID}}/seen" data-testid="token-seen" hidden>[[Waiting for the first call …]]</p>{{/UNUSED}}
    </section>
    {{/MADE_NOW}}

    <section class="card pad" id="tools" aria-labelledby="tools-title">
      <h2 id="tools-title">[[Connect your tools]]</h2>
      <p class="muted">[[Tokens let Claude Code, Cursor and other tools use your providers without seeing your keys.]]</p>
      <div class="row address"><span>[[Address (base URL)]]</span> <code id="tools-address" data-testid="tools-address">{{ORIGIN}}/v1</code>
        <button type="button" data-copies="tools-address" data-testid="copy-address" hidden>[[Copy]]</button></div>
      {{#NO_SECRET}}<p class="hint">[[In the settings below, replace YOUR_TOKEN with a token.]]</p>{{/NO_SECRET}}
      {{#NO_MODEL}}<p class="hint warn">[[Replace MODEL@HANDLE with the model to use.]]</p>{{/NO_MODEL}}
      <div class="tools">
        <details data-testid="tool">
          <summary>curl</summary>
          <pre tabindex="0" id="tool-curl">curl {{ORIGIN}}/v1/chat/completions \
  -H "Authorization: Bearer {{TOKEN}}" \
  -H "Content-Type: application/json" \
  -d '{"model": "{{CHAT_MODEL}}", "messages": [{"role": "user", "content": "Hello"}]}'</pre>
          <p class="row"><button type="button" data-copies="tool-curl" hidden>[[Copy]]</button></p>
        </details>
        <details data-testid="tool">
          <summary>OpenAI SDK (Python)</summary>
          <pre tabindex="0" id="tool-python">from openai import OpenAI
client = OpenAI(base_url="{{ORIGIN}}/v1", api_key="{{TOKEN}}")
answer = client.chat.completions.create(
    model="{{CHAT_MODEL}}", messages=[{"role": "user", "content": "Hello"}])
print(answer.choices[0].message.content)</pre>
          <p class="row"><button type="button" data-copies="tool-python" hidden>[[Copy]]</button></p>
        </details>
        <details data-testid="tool">
          <summary>OpenAI SDK (JavaScript)</summary>
          <pre tabindex="0" id="tool-javascript">import OpenAI from 'openai';
const client = new OpenAI({ baseURL: '{{ORIGIN}}/v1', apiKey: '{{TOKEN}}' });
const answer = await client.chat.completions.create({
  model: '{{CHAT_MODEL}}', messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.choices[0].message.content);</pre>
          <p class="row"><button type="button" data-copies="tool-javascript" hidden>[[Copy]]</button></p>
        </details>
        <details data-testid="tool">
          <summary>Claude Code</summary>
          <pre tabindex="0" id="tool-claude">export ANTHROPIC_BASE_URL={{ORIGIN}}
export ANTHROPIC_AUTH_TOKEN={{TOKEN}}
export ANTHROPIC_MODEL={{MESSAGES_MODEL}}
export ANTHROPIC_DEFAULT_HAIKU_MODEL={{MESSAGES_MODEL}}
claude</pre>
          <p class="row"><button type="button" data-copies="tool-claude" hidden>[[Copy]]</button></p>
        </details>
        <details data-testid="tool">
          <summary>Codex</summary>
          <p class="hint">[[In the file ~/.codex/config.toml:]]</p>
          <pre tabindex="0" id="tool-codex">model = "{{RESPONSES_MODEL}}"
model_provider = "usershell"
[model_providers.usershell]
name = "usershell"
base_url = "{{ORIGIN}}/v1"
env_key = "USERSHELL_TOKEN"
wire_api = "responses"</pre>
          <p class="row"><button type="button" data-copies="tool-codex" hidden>[[Copy]]</button></p>
          <p class="hint">[[In the shell that starts it:]]</p>
          <pre tabindex="0" id="tool-codex-shell">export USERSHELL_TOKEN={{TOKEN}}</pre>
          <p class="row"><button type="button" data-copies="tool-codex-shell" hidden>[[Copy]]</button></p>
        </details>
        <details data-testid="tool">
          <summary>Cursor</summary>
          <p class="hint">[[In its settings, page Models: add the model, then turn on key and base URL of OpenAI. Its own servers make the calls.]]</p>
          <p class="hint">[[Its agent sends a body of the Responses API to /chat/completions, which a provider may refuse.]]</p>
          <pre tabindex="0" id="tool-cursor">Model: {{CHAT_MODEL}}
OpenAI API Key: {{TOKEN}}
Override OpenAI Base URL: {{ORIGIN}}/v1</pre>
          <p class="row"><button type="button" data-copies="tool-cursor" hidden>[[Copy]]</button></p>
        </details>
        <details data-testid="tool">
          <summary>Continue</summary>
          <p class="hint">[[In the file ~/.continue/config.yaml:]]</p>
          <pre tabindex="0" id="tool-continue">name: usershell
version: 1.0.0
schema: v1
models:
  - name: {{CHAT_MODEL}}
    provider: openai
    model: {{CHAT_MODEL}}
    apiBase: {{ORIGIN}}/v1
    apiKey: {{TOKEN}}
    roles: [chat, edit, apply]</pre>
          <p class="row"><button type="button" data-copies="tool-continue" hidden>[[Copy]]</button></p>
        </details>
        <details data-testid="tool">
          <summary>aider</summary>
          <pre tabindex="0" id="tool-aider">export OPENAI_API_BASE={{ORIGIN}}/v1
export OPENAI_API_KEY={{TOKEN}}
aider --model openai/{{CHAT_MODEL}}</pre>
          <p class="row"><button type="button" data-copies="tool-aider" hidden>[[Copy]]</button></p>
        </details>
        <details data-testid="tool">
          <summary>Zed</summary>
          <p class="hint">[[In its settings.json:]]</p>
          <pre tabindex="0" id="tool-zed">{
  "language_models": {
    "openai_compatible": {
      "usershell": {
        "api_url": "{{ORIGIN}}/v1",
        "available_models": [{ "name": "{{CHAT_MODEL}}", "max_tokens": 128000 }]
      }
    }
  }
}</pre>
          <p class="row"><button type="button" data-copies="tool-zed" hidden>[[Copy]]</button></p>
          <p class="hint">[[In the shell that starts it:]]</p>
          <pre tabindex="0" id="tool-zed-shell">export USERSHELL_API_KEY={{TOKEN}}</pre>
          <p class="row"><button type="button" data-copies="tool-zed-shell" hidden>[[Copy]]</button></p>
        </details>
      </div>
    </section>

    <section class="card pad" id="tokens" aria-labelledby="tokens-title">
      <h2 id="tokens-title">[[Access tokens]]</h2>
      {{#TOKENS_NOTICE}}<p class="note good" role="status" data-testid="notice">{{MESSAGE}}</p>{{/TOKENS_NOTICE}}
      {{#NO_TOKEN}}<p data-testid="no-token">[[You have no token.]]</p>{{/NO_TOKEN}}
      <ul class="rows" data-testid="tokens">
        {{#TOKEN_ROW}}
        <li data-testid="token">
          <div class="grow">
            <strong dir="auto">{{TOKEN_NAME}}</strong> <code class="muted">{{HINT}}…</code>
            {{#OFF}}<span class="tag warn" data-testid="token-off">[[off]]</span>{{/OFF}}
            <p class="muted">[[created]] <time datetime="{{MADE}}">{{MADE}}</time>, [[expires]] <time datetime="{{EXPIRES}}">{{EXPIRES}}</time>,
              {{#NEVER_USED}}[[never used]]{{/NEVER_USED}}{{#LAST_USED}}[[last used]] <time datetime="{{DAY}}">{{DAY}}</time> [[from]] {{NETWORK}}{{/LAST_USED}}</p>
            <ul class="sub" aria-label="[[Limits]]">
              <li>[[requests a minute:]] <span data-number>{{REQUESTS}}</span></li>
              {{#TOKENS_LIMIT}}<li>[[tokens a day:]] <span data-number>{{TEXT}}</span></li>{{/TOKENS_LIMIT}}
              {{#PROVIDERS_LIMIT}}<li>[[providers:]] {{TEXT}}</li>{{/PROVIDERS_LIMIT}}
              {{#MODELS_LIMIT}}<li>[[models:]] {{TEXT}}</li>{{/MODELS_LIMIT}}
              {{#ROUTES_LIMIT}}<li>[[APIs:]] {{TEXT}}</li>{{/ROUTES_LIMIT}}
              {{#STORED_OBJECTS}}<li>[[may use stored objects]]</li>{{/STORED_OBJECTS}}
            </ul>
            {{#OLD_SECRET}}<p class="hint" data-testid="token-old">[[The secret before this one is good until]] <time datetime="{{UNTIL}}" data-minutes>{{UNTIL_TEXT}}</time> (<code>{{OLD_HINT}}…</code>).</p>{{/OLD_SECRET}}
          </div>
          <a class="button" href="/user/settings/access/{{TOKEN_ID}}" aria-label="[[Change]]: {{TOKEN_NAME}}" data-testid="token-change">[[Change]]</a>
          {{#OFF}}<a class="button" href="/user/settings/access/{{TOKEN_ID}}#switch" aria-label="[[Switch on]]: {{TOKEN_NAME}}" data-testid="token-enable">[[Switch on]]</a>{{/OFF}}
          {{#ON}}<form method="post" action="/user/settings/access/{{TOKEN_ID}}/disable">
            <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
            <button aria-label="[[Switch off]]: {{TOKEN_NAME}}" data-testid="token-disable">[[Switch off]]</button>
          </form>{{/ON}}
          <form method="post" action="/user/settings/access/{{TOKEN_ID}}/revoke" data-asks="[[Revoke]]: {{TOKEN_NAME}}" data-warns="[[Tools that use it stop at once. This can’t be undone.]]">
            <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
            <button class="danger" aria-label="[[Revoke]]: {{TOKEN_NAME}}" data-testid="token-revoke">[[Revoke]]</button>
          </form>
        </li>
        {{/TOKEN_ROW}}
      </ul>
    </section>

    <section class="card pad" id="make" aria-labelledby="make-title">
      <h2 id="make-title">[[New token]]</h2>
      <form class="stack" method="post" action="/user/settings/access">
        <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
        <input type="hidden" name="TokenId" value="{{NEW_ID}}">
        <input type="email" value="{{CURRENT_EMAIL}}" autocomplete="username" readonly hidden>
        <p class="error" role="alert" data-testid="token-error">{{#FORM_ERROR}}{{MESSAGE}}{{/FORM_ERROR}}</p>
        {{>limits}}
        {{>proof token}}
        <p class="row"><button class="primary" data-testid="token-submit">[[Create token]]</button></p>
      </form>
    </section>

    <section class="card pad" id="usage" aria-labelledby="usage-title">
      <div class="part-head">
        <h2 id="usage-title">[[Usage of the last 30 days]]</h2>
        <a class="button" href="/user/settings/access/usage.csv" data-testid="usage-file">[[Download all as CSV]]</a>
      </div>
      {{#NO_USAGE}}<p class="muted" data-testid="no-usage">[[No calls yet.]]</p>{{/NO_USAGE}}
      {{#USAGE}}
      <figure class="chart">
        <figcaption id="chart-text" data-testid="usage-chart">{{CHART_TEXT}}</figcaption>
        <svg class="bars" viewBox="0 0 120 24" preserveAspectRatio="none" role="img" aria-labelledby="chart-text">{{#BAR}}<rect x="{{X}}" y="{{Y}}" width="3" height="{{HEIGHT}}"><title>{{DAY}}: {{TOKENS}}</title></rect>{{/BAR}}</svg>
        <p class="muted ends"><time datetime="{{FIRST_DAY}}">{{FIRST_DAY}}</time> <time datetime="{{LAST_DAY}}">{{LAST_DAY}}</time></p>
      </figure>
      {{#GROUP}}
      <div class="wide-table" role="region" tabindex="0" aria-label="{{HEADING}}">
        <table class="usage">
          <thead><tr><th scope="col">{{HEADING}}</th><th scope="col">[[Tokens in]]</th><th scope="col">[[Tokens out]]</th><th scope="col">[[Calls]]</th><th scope="col">[[Failed]]</th><th scope="col">[[Estimated]]</th></tr></thead>
          <tbody>
            {{#LINE}}<tr data-testid="usage-line"><th scope="row">{{LABEL}}</th><td data-number>{{INPUT}}</td><td data-number>{{OUTPUT}}</td><td data-number>{{CALLS}}</td><td data-number>{{FAILED}}</td><td data-number>{{ESTIMATED}}</td></tr>
            {{/LINE}}
          </tbody>
          <tfoot>{{#TOTAL}}<tr data-testid="usage-total"><th scope="row">[[Total]]</th><td data-number>{{INPUT}}</td><td data-number>{{OUTPUT}}</td><td data-number>{{CALLS}}</td><td data-number>{{FAILED}}</td><td data-number>{{ESTIMATED}}</td></tr>{{/TOTAL}}</tfoot>
        </table>
      </div>
      {{/GROUP}}
      <p class="hint">[[Days are UTC. Where a provider did not say how many tokens a call took, they are estimated by size.]]</p>
      {{/USAGE}}
    </section>
  </div>
</div>
