{{%AUTOESCAPE context="HTML"}}
{{!The frame of the page; the cards are drawn by /assets/providers.js from /user/providers/list.}}
<link rel="stylesheet" href="{{ASSETS}}/providers.css">
<div class="page-providers" id="providers-page" data-max-providers="{{MAX_PROVIDERS}}" data-max-models="{{MAX_MODELS}}" data-max-accounts="{{MAX_ACCOUNTS}}" data-capability-words="{{CAPABILITY_WORDS}}" data-default-capabilities="{{DEFAULT_CAPABILITIES}}" data-holds="another_address{{#HOLDS_PATHS}} another_path{{/HOLDS_PATHS}}">
  <section class="list" aria-labelledby="providers-title">
    <div class="list-head">
      <h1 id="providers-title" tabindex="-1">[[Providers]]</h1>
      <span class="count" id="provider-count" data-testid="provider-count"></span>
      <span class="muted" id="provider-summary" data-testid="provider-summary"></span>
      <div class="row end">
        <button id="test-all" data-testid="test-all" disabled>[[Test all]]</button>
        <button id="create-provider" class="primary" data-testid="create-provider" disabled>[[Add provider]]</button>
      </div>
    </div>
    {{#OLDER_KEYS}}<p class="note bad" data-testid="older-keys">{{OLDER_KEYS_NOTE}} [[They come from the old key vault. Delete a provider or key to make room, then tell your administrator.]]</p>
    {{/OLDER_KEYS}}<div class="note" id="batch-summary" data-testid="batch-summary" hidden></div>
    <div id="provider-list" class="cards" data-testid="provider-list" aria-busy="true">
      <div class="card skeleton" aria-hidden="true"><i></i><i></i></div>
      <div class="card skeleton" aria-hidden="true"><i></i><i></i></div>
      <div class="card skeleton" aria-hidden="true"><i></i><i></i></div>
    </div>
    <p class="note bad late" id="late" data-testid="late">[[This page has not loaded completely.]] <a href="/user/providers">[[Try again]]</a></p>
    <noscript><p class="note bad">[[This page needs JavaScript.]]</p></noscript>
  </section>
</div>

<dialog id="provider-sheet" class="sheet" aria-labelledby="sheet-title" data-testid="provider-sheet">
  <header class="sheet-head">
    <span id="sheet-mark"></span>
    <div class="grow">
      <h2 id="sheet-title" dir="auto"></h2>
      <p class="sub" id="sheet-facts"></p>
    </div>
    <button type="button" class="quiet square" data-close aria-label="[[Close]]" data-testid="sheet-close"><svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6l12 12M18 6 6 18"/></svg></button>
  </header>
  <div class="tabs" id="sheet-tabs" role="tablist" aria-labelledby="sheet-title"></div>
  <div id="sheet-panels"></div>
</dialog>

<dialog id="provider-dialog" aria-labelledby="provider-dialog-title" data-testid="provider-dialog">
  <form class="stack" novalidate>
    <h2 id="provider-dialog-title">[[Add a provider]]</h2>
    <div class="field" id="type-choosing">
      <label class="away" for="type-search">[[Search the providers]]</label>
      <input id="type-search" type="search" autocomplete="off" spellcheck="false" placeholder="[[Search the providers]]" autofocus data-testid="type-search">
      <div class="tiles" id="provider-tiles" role="group" aria-label="[[Type]]"></div>
      <p class="hint" id="type-none" role="status" hidden>[[No provider of that name. Most servers work as “OpenAI-compatible endpoint”.]]</p>
    </div>
    <div class="type-chosen" id="type-chosen" hidden>
      <span id="type-chosen-name"></span>
      <button type="button" class="quiet" id="type-change" data-testid="type-change">[[Change]]</button>
    </div>
    <div>
      <div class="stack" id="provider-fields">
        <div class="field" id="provider-type-field">
          <label for="provider-type">[[Type]]</label>
          <select id="provider-type" name="type" data-testid="provider-type">
{{>PROVIDER_TYPES}}
          </select>
          <p class="error" data-error-for="type"></p>
        </div>
        <div class="field">
          <label for="provider-name">[[Name]]</label>
          <input id="provider-name" name="name" required data-missing="[[Enter a name.]]" autocomplete="off" dir="auto" data-testid="provider-name">
          <p class="error" data-error-for="name" data-testid="provider-name-error"></p>
        </div>
        {{#ACCESS}}
        <div class="field" id="provider-handle-field">
          <label for="provider-handle">[[Handle]]</label>
          <input id="provider-handle" name="handle" required data-missing="[[Enter a handle.]]" autocomplete="off" autocapitalize="off" spellcheck="false"
                 aria-describedby="provider-handle-hint" data-testid="provider-handle">
          <p class="error" data-error-for="handle" data-testid="provider-handle-error"></p>
          <p class="hint" id="provider-handle-hint">[[Your tools use it in model names, as model@handle. If you change it, update their settings.]]</p>
        </div>
        {{/ACCESS}}
        <div class="field" id="provider-base-url-field">
          <label for="provider-base-url">[[Base URL]]</label>
          <input id="provider-base-url" name="baseUrl" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false"
                 placeholder="https://" required data-missing="[[Enter the address of its API.]]" data-endings="{{ENDINGS}}" data-testid="provider-base-url">
          <p class="error" data-error-for="baseUrl" data-testid="provider-base-url-error"></p>
          <p class="hint warn" id="provider-pasted" data-testid="provider-pasted" role="status"></p>
          <p class="hint warn" id="provider-http-warning" data-testid="provider-http-warning" role="status" hidden>[[Plain http: keys and messages travel unencrypted.]]</p>
          <p class="hint warn" id="provider-address-warning" data-testid="provider-address-warning" role="status" hidden>[[The address has changed. Saved keys won’t be sent there until you enter them again.]]</p>
          <p class="hint" id="provider-request-url" data-testid="provider-request-url"></p>
        </div>
        <div class="field" id="provider-api-key-field">
          <label for="provider-api-key">[[API key]]</label>
          <div class="with-button">
            <input id="provider-api-key" name="apiKey" type="password" autocomplete="off" autocapitalize="off" spellcheck="false"
                   required data-missing="[[Enter the key.]]" data-testid="provider-api-key">
            <button type="button" aria-pressed="false" aria-label="[[Show the key]]" data-reveals="provider-api-key" data-testid="provider-key-reveal">[[Show]]</button>
          </div>
          <p class="error" data-error-for="apiKey" data-testid="provider-api-key-error"></p>
          <p class="hint" id="provider-key-help"></p>
        </div>
      </div>
    </div>
    <p class="error" data-error-for="" role="alert" data-testid="provider-form-error"></p>
    <div class="dialog-foot">
      <div class="note" id="provider-outcome" role="status" data-testid="provider-outcome"></div>
      <div class="row end">
        <button type="button" class="danger" id="provider-remove" data-testid="provider-remove" hidden>[[Remove]]</button>
        <button type="button" id="provider-keep" data-testid="provider-keep" hidden>[[Keep anyway]]</button>
        <button type="button" data-close data-testid="provider-cancel">[[Cancel]]</button>
        <button class="primary" id="provider-submit" data-testid="provider-submit">[[Check and add]]</button>
      </div>
    </div>
  </form>
</dialog>

<dialog id="key-dialog" aria-labelledby="key-dialog-title" data-testid="key-dialog">
  <form class="stack" novalidate>
    <h2 id="key-dialog-title">[[Key]]</h2>
    <div class="field" id="key-name-field">
      <label for="key-name">[[Name]]</label>
      <input id="key-name" name="name" required data-missing="[[Enter a name.]]" autocomplete="off" dir="auto" data-testid="key-name">
      <p class="error" data-error-for="name"></p>
    </div>
    <div class="field" id="key-value-field">
      <label for="key-value">[[API key]]</label>
      <div class="with-button">
        <input id="key-value" name="apiKey" type="password" autocomplete="off" autocapitalize="off" spellcheck="false" required data-missing="[[Enter the key.]]" data-testid="key-value">
        <button type="button" aria-pressed="false" aria-label="[[Show the key]]" data-reveals="key-value">[[Show]]</button>
      </div>
      <p class="error" data-error-for="apiKey" data-testid="key-value-error"></p>
    </div>
    <div class="field" id="keys-field">
      <label for="keys-value">[[API keys, one per line]]</label>
      <div class="with-button">
        <textarea id="keys-value" name="keys" class="masked" rows="4" autocomplete="off" autocapitalize="off" spellcheck="false" required
                  data-missing="[[Enter a key.]]" data-testid="keys-value"></textarea>
        <button type="button" aria-pressed="false" aria-label="[[Show the keys]]" data-reveals="keys-value" data-testid="keys-reveal">[[Show]]</button>
      </div>
      <p class="error lines" data-error-for="keys" data-testid="keys-value-error"></p>
      <p class="hint">[[Keys are hidden as you type. You can rename them later.]]</p>
    </div>
    <p class="error" data-error-for="" role="alert" data-testid="key-form-error"></p>
    <div class="row end">
      <button type="button" data-close>[[Cancel]]</button>
      <button class="primary" data-testid="key-submit">[[Save]]</button>
    </div>
  </form>
</dialog>

<dialog id="capabilities-dialog" aria-labelledby="capabilities-title" data-testid="capabilities-dialog">
  <form class="stack" novalidate>
    <h2 id="capabilities-title">[[Model]]</h2>
    <div class="field">
      <label for="model-name">[[Display name]]</label>
      <input id="model-name" name="displayName" autocomplete="off" aria-describedby="model-name-hint" data-testid="model-name">
      <p class="error" data-error-for="displayName" data-testid="model-name-error"></p>
      <p class="hint" id="model-name-hint">[[Leave it empty to use the model’s id.]]</p>
    </div>
    <p id="capability-label">[[Capabilities]]</p>
    <div class="choices" id="capability-choices" role="group" aria-labelledby="capability-label"></div>
    <p class="error" data-error-for="" role="alert"></p>
    <div class="row end">
      <button type="button" data-close>[[Cancel]]</button>
      <button class="primary" data-testid="capabilities-submit">[[Save]]</button>
    </div>
  </form>
</dialog>

<dialog id="available-dialog" class="tall" aria-labelledby="available-title" data-testid="available-dialog">
  <div class="stack">
    <h2 id="available-title">[[Models of the provider]]</h2>
    <div class="field">
      <label for="available-filter">[[Filter]]</label>
      <input id="available-filter" type="search" autocomplete="off" spellcheck="false" data-testid="available-filter">
    </div>
    <div class="hint" id="available-status" role="status" data-testid="available-status"></div>
    <ul class="rows scroll" id="available-list" tabindex="0" aria-label="[[Models]]" data-testid="available-list"></ul>
    <div class="row end">
      <button type="button" class="quiet" id="available-choose-all" data-testid="available-choose-all" hidden>[[Choose all]]</button>
      <span class="grow"></span>
      <button type="button" data-close data-testid="available-close">[[Cancel]]</button>
      <button type="button" class="primary" id="available-add-chosen" data-testid="available-add-chosen" disabled>[[Add]]</button>
    </div>
  </div>
</dialog>
