{{%AUTOESCAPE context="HTML"}}
<div class="settings page-access">
  <nav class="settings-nav" aria-label="[[Settings]]">
    <ul>
      <li><a href="/user/settings/profile">[[Profile]]</a></li>
      <li><a href="/user/settings/security">[[Security]]</a></li>
      <li><a href="/user/settings/access" aria-current="page">[[Access]]</a>
        <ul>
          <li><a href="#tokens">[[Access tokens]]</a></li>
          <li><a href="#make">[[Make a token]]</a></li>
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
      <p class="muted">[[A program that has it can call your providers, at your cost. The settings below have it filled in.]]</p>
      {{#NO_MODEL}}<p class="hint warn">[[If none of your models fits a tool and this token’s limits, put a name in place of MODEL@HANDLE.]]</p>{{/NO_MODEL}}
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
    {{/MADE_NOW}}

    <section class="card pad" id="tokens" aria-labelledby="tokens-title">
      <h2 id="tokens-title">[[Access tokens]]</h2>
      {{#TOKENS_NOTICE}}<p class="note good" role="status" data-testid="notice">{{MESSAGE}}</p>{{/TOKENS_NOTICE}}
      <p class="muted">[[With a token your own tools use your providers. They never get your keys.]]</p>
      {{#NO_TOKEN}}<p data-testid="no-token">[[You have no token.]]</p>{{/NO_TOKEN}}
      <ul class="rows" data-testid="tokens">
        {{#TOKEN_ROW}}
        <li data-testid="token">
          <div class="grow">
            <strong dir="auto">{{TOKEN_NAME}}</strong> <code class="muted">{{HINT}}…</code>
            <p class="muted">[[made]] <time datetime="{{MADE}}">{{MADE}}</time>, [[expires]] <time datetime="{{EXPIRES}}">{{EXPIRES}}</time>,
              {{#NEVER_USED}}[[never used]]{{/NEVER_USED}}{{#LAST_USED}}[[last used]] <time datetime="{{DAY}}">{{DAY}}</time> [[from]] {{NETWORK}}{{/LAST_USED}}</p>
            <ul class="sub" aria-label="[[Limits]]">
              <li>[[requests a minute:]] <span data-number>{{REQUESTS}}</span></li>
              {{#TOKENS_LIMIT}}<li>[[tokens a day:]] <span data-number>{{TEXT}}</span></li>{{/TOKENS_LIMIT}}
              {{#PROVIDERS_LIMIT}}<li>[[providers:]] {{TEXT}}</li>{{/PROVIDERS_LIMIT}}
              {{#MODELS_LIMIT}}<li>[[models:]] {{TEXT}}</li>{{/MODELS_LIMIT}}
              {{#ROUTES_LIMIT}}<li>[[routes:]] {{TEXT}}</li>{{/ROUTES_LIMIT}}
              {{#STORED_OBJECTS}}<li>[[may use stored objects]]</li>{{/STORED_OBJECTS}}
            </ul>
          </div>
          <form method="post" action="/user/settings/access/{{TOKEN_ID}}/revoke" data-asks="[[Revoke]]: {{TOKEN_NAME}}" data-warns="[[Tools that use it stop at once. This can’t be undone.]]">
            <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
            <button class="danger" aria-label="[[Revoke]]: {{TOKEN_NAME}}" data-testid="token-revoke">[[Revoke]]</button>
          </form>
        </li>
        {{/TOKEN_ROW}}
      </ul>
    </section>

    <section class="card pad" id="make" aria-labelledby="make-title">
      <h2 id="make-title">[[Make a token]]</h2>
      <form class="stack" method="post" action="/user/settings/access">
        <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
        <input type="hidden" name="TokenId" value="{{NEW_ID}}">
        <input type="email" value="{{CURRENT_EMAIL}}" autocomplete="username" readonly hidden>
        <p class="error" role="alert" data-testid="token-error">{{#FORM_ERROR}}{{MESSAGE}}{{/FORM_ERROR}}</p>
        <div class="pair">
          <div class="field">
            <label for="token-name">[[Name]]</label>
            <input id="token-name" name="Name" value="{{NAME_VALUE}}" required autocomplete="off" placeholder="[[laptop]]"
                   {{#NAME_ERROR}}aria-invalid="true" autofocus{{/NAME_ERROR}} aria-describedby="token-name-error" data-testid="token-name">
            <p class="error" id="token-name-error" data-testid="token-name-error">{{#NAME_ERROR}}{{MESSAGE}}{{/NAME_ERROR}}</p>
          </div>
          <div class="field">
            <label for="token-days">[[Valid for (days)]]</label>
            <input id="token-days" name="Days" type="number" value="{{DAYS_VALUE}}" required min="{{MIN_TOKEN_DAYS}}" max="{{MAX_TOKEN_DAYS}}"
                   {{#DAYS_ERROR}}aria-invalid="true" autofocus{{/DAYS_ERROR}} aria-describedby="token-days-error" data-testid="token-days">
            <p class="error" id="token-days-error" data-testid="token-days-error">{{#DAYS_ERROR}}{{MESSAGE}}{{/DAYS_ERROR}}</p>
          </div>
        </div>
        <details class="options" {{#LIMITS_OPEN}}open{{/LIMITS_OPEN}}>
          <summary data-testid="token-limits">[[Limits]]</summary>
          <div class="stack">
            <div class="pair">
              <div class="field">
                <label for="token-requests">[[Requests a minute]]</label>
                <input id="token-requests" name="RequestsAMinute" type="number" value="{{REQUESTS_VALUE}}" required
                       min="{{MIN_REQUESTS_A_MINUTE}}" max="{{MAX_REQUESTS_A_MINUTE}}"
                       {{#REQUESTS_ERROR}}aria-invalid="true" autofocus{{/REQUESTS_ERROR}} aria-describedby="token-requests-error" data-testid="token-requests">
                <p class="error" id="token-requests-error">{{#REQUESTS_ERROR}}{{MESSAGE}}{{/REQUESTS_ERROR}}</p>
              </div>
              <div class="field">
                <label for="token-tokens">[[Tokens a day]]</label>
                <input id="token-tokens" name="TokensADay" type="number" value="{{TOKENS_VALUE}}" placeholder="[[no limit]]"
                       min="{{MIN_TOKENS_A_DAY}}" max="{{MAX_TOKENS_A_DAY}}"
                       {{#TOKENS_ERROR}}aria-invalid="true" autofocus{{/TOKENS_ERROR}} aria-describedby="token-tokens-error token-tokens-hint" data-testid="token-tokens">
                <p class="error" id="token-tokens-error">{{#TOKENS_ERROR}}{{MESSAGE}}{{/TOKENS_ERROR}}</p>
              </div>
            </div>
            <p class="hint" id="token-tokens-hint">[[A call that starts below the day’s limit may end above it. Days are UTC.]]</p>
            <fieldset class="field" aria-describedby="token-providers-error">
              <legend>[[Providers]] <span class="hint">[[none ticked: all that there are now]]</span></legend>
              <div class="choices">
                {{#PROVIDER}}<label class="check"><input type="checkbox" name="Providers.{{VALUE}}" value="true" {{#TICKED}}checked{{/TICKED}}><span>{{PROVIDER_NAME}}</span></label>
                {{/PROVIDER}}
              </div>
              <label class="check"><input type="checkbox" name="LaterProviders" value="true" {{#LATER_TICKED}}checked{{/LATER_TICKED}} data-testid="token-later-providers"><span>[[All providers, also those that are added later]]</span></label>
              <p class="error" id="token-providers-error">{{#PROVIDERS_ERROR}}{{MESSAGE}}{{/PROVIDERS_ERROR}}</p>
            </fieldset>
            <div class="field">
              <label for="token-models">[[Models]] <span class="hint">[[none named: all]]</span></label>
              <textarea id="token-models" name="Models" rows="2" spellcheck="false" autocapitalize="off" class="mono" placeholder="model@handle"
                        {{#MODELS_ERROR}}aria-invalid="true" autofocus{{/MODELS_ERROR}} aria-describedby="token-models-error token-models-hint" data-testid="token-models">{{MODELS_VALUE}}</textarea>
              <p class="error" id="token-models-error" data-testid="token-models-error">{{#MODELS_ERROR}}{{MESSAGE}}{{/MODELS_ERROR}}</p>
              <p class="hint" id="token-models-hint">[[One per line. Yours are:]]{{#MODEL}} <code>{{MODEL_NAME}}</code>{{/MODEL}}</p>
            </div>
            <fieldset class="field" aria-describedby="token-routes-error">
              <legend>[[Routes]] <span class="hint">[[none ticked: all]]</span></legend>
              <div class="choices">
                {{#ROUTE}}<label class="check"><input type="checkbox" name="Routes.{{VALUE}}" value="true" {{#TICKED}}checked{{/TICKED}}><span>{{VALUE}}</span></label>
                {{/ROUTE}}
              </div>
              <p class="error" id="token-routes-error">{{#ROUTES_ERROR}}{{MESSAGE}}{{/ROUTES_ERROR}}</p>
            </fieldset>
            <label class="check"><input type="checkbox" name="StoredObjects" value="true" {{#STORED_TICKED}}checked{{/STORED_TICKED}}><span>[[Let it use what is stored at the provider: conversations, files, prompts]]</span></label>
          </div>
        </details>
        {{>proof token}}
        <p class="row"><button class="primary" data-testid="token-submit">[[Make the token]]</button></p>
      </form>
    </section>

    <section class="card pad" id="usage" aria-labelledby="usage-title">
      <div class="part-head">
        <h2 id="usage-title">[[Usage of the last 30 days]]</h2>
        <a class="button" href="/user/settings/access/usage.csv" data-testid="usage-file">[[Download all as CSV]]</a>
      </div>
      {{#NO_USAGE}}<p class="muted" data-testid="no-usage">[[No calls yet.]]</p>{{/NO_USAGE}}
      {{#USAGE}}
      {{#GROUP}}
      <div class="usage">
        <h3>{{HEADING}}</h3>
        <ul class="rows">
          {{#LINE}}
          <li data-testid="usage-line">
            <div class="grow">
              <strong>{{LABEL}}</strong>
              <ul class="sub">
                <li>[[tokens in:]] <span data-number>{{INPUT}}</span></li>
                <li>[[out:]] <span data-number>{{OUTPUT}}</span></li>
                <li>[[calls:]] <span data-number>{{CALLS}}</span></li>
                {{#FAILED}}<li>[[failed:]] <span data-number>{{TEXT}}</span></li>{{/FAILED}}
                {{#ESTIMATED}}<li>[[estimated:]] <span data-number>{{TEXT}}</span></li>{{/ESTIMATED}}
              </ul>
            </div>
            <svg class="bars" viewBox="0 0 120 24" preserveAspectRatio="none" role="img" aria-label="[[Tokens a day]]: {{LABEL}}">{{#BAR}}<rect x="{{X}}" y="{{Y}}" width="3" height="{{HEIGHT}}"><title>{{DAY}}: {{TOKENS}}</title></rect>{{/BAR}}</svg>
          </li>
          {{/LINE}}
        </ul>
      </div>
      {{/GROUP}}
      <p class="hint">[[Days are UTC. Where a provider did not say how many tokens a call took, they are estimated by size.]]</p>
      {{/USAGE}}
    </section>
  </div>
</div>
