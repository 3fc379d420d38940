{{%AUTOESCAPE context="HTML"}}
{{!The frame of the page; the cards are drawn by /assets/providers.js from /user/providers/list.}}
<link rel="stylesheet" href="{{ASSETS}}/providers.css">
<div class="page-providers" id="providers-page" data-max-providers="{{MAX_PROVIDERS}}" data-max-models="{{MAX_MODELS}}" data-max-accounts="{{MAX_ACCOUNTS}}" data-capability-words="{{CAPABILITY_WORDS}}" data-holds="another_address{{#HOLDS_PATHS}} another_path{{/HOLDS_PATHS}}">
  <section class="list" aria-labelledby="providers-title">
    <div class="list-head">
      <h1 id="providers-title" tabindex="-1">[[Providers]]</h1>
      <span class="count" id="provider-count" data-testid="provider-count"></span>
      <div class="row end">
        <button id="test-all" data-testid="test-all" disabled>[[Test all]]</button>
        <button id="create-provider" class="primary" data-testid="create-provider" disabled>[[Add provider]]</button>
      </div>
    </div>
    {{#OLDER_KEYS}}<p class="note bad" data-testid="older-keys">{{OLDER_KEYS_NOTE}} [[They come from the old key vault. Delete a provider or key to make room, then tell your operator.]]</p>
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

<dialog id="provider-dialog" aria-labelledby="provider-dialog-title" data-testid="provider-dialog">
  <form class="stack" novalidate>
    <h2 id="provider-dialog-title">[[Add a provider]]</h2>
    <div class="field">
      <label for="provider-type" id="provider-type-label">[[Type]]</label>
      <div class="tiles" id="provider-tiles" role="radiogroup" aria-labelledby="provider-type-label"></div>
      <select id="provider-type" name="type" data-testid="provider-type">
{{>PROVIDER_TYPES}}
      </select>
      <p class="error" data-error-for="type"></p>
    </div>
    <div class="field">
      <label for="provider-name">[[Name]]</label>
      <input id="provider-name" name="name" required data-missing="[[Enter a name.]]" autocomplete="off" data-testid="provider-name">
      <p class="error" data-error-for="name" data-testid="provider-name-error"></p>
    </div>
    {{#ACCESS}}
    <div class="field" id="provider-handle-field">
      <label for="provider-handle">[[Handle]]</label>
      <input id="provider-handle" name="handle" required data-missing="[[Enter a handle.]]" autocomplete="off" autocapitalize="off" spellcheck="false"
             aria-describedby="provider-handle-hint" data-testid="provider-handle">
      <p class="error" data-error-for="handle" data-testid="provider-handle-error"></p>
      <p class="hint" id="provider-handle-hint">[[Tools name a model by it, as handle/model. A new one breaks their settings.]]</p>
    </div>
    {{/ACCESS}}
    <div class="field" id="provider-base-url-field">
      <label for="provider-base-url">[[Base URL]]</label>
      <input id="provider-base-url" name="baseUrl" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false"
             placeholder="https://" required data-missing="[[Enter the address of its API.]]" data-endings="{{ENDINGS}}" data-testid="provider-base-url">
      <p class="error" data-error-for="baseUrl" data-testid="provider-base-url-error"></p>
      <p class="hint warn" id="provider-pasted" data-testid="provider-pasted" role="status"></p>
      <p class="hint warn" id="provider-http-warning" data-testid="provider-http-warning" role="status" hidden>[[Plain http: keys and messages travel unencrypted.]]</p>
      <p class="hint warn" id="provider-address-warning" data-testid="provider-address-warning" role="status" hidden>[[Another address: the stored keys are held back until you enter them again.]]</p>
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
    <p class="error" data-error-for="" role="alert" data-testid="provider-form-error"></p>
    <div class="note" id="provider-outcome" role="status" data-testid="provider-outcome"></div>
    <div class="row end">
      <button type="button" class="danger" id="provider-remove" data-testid="provider-remove" hidden>[[Remove it]]</button>
      <button type="button" id="provider-keep" data-testid="provider-keep" hidden>[[Keep it]]</button>
      <button type="button" data-close data-testid="provider-cancel">[[Cancel]]</button>
      <button class="primary" data-testid="provider-submit">[[Check and add]]</button>
    </div>
  </form>
</dialog>

<dialog id="key-dialog" aria-labelledby="key-dialog-title" data-testid="key-dialog">
  <form class="stack" novalidate>
    <h2 id="key-dialog-title">[[Key]]</h2>
    <div class="field" id="key-name-field">
      <label for="key-name">[[Name]]</label>
      <input id="key-name" name="name" required data-missing="[[Enter a name.]]" autocomplete="off" data-testid="key-name">
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
      <p class="hint" id="model-name-hint">[[Left empty, it is the model’s id.]]</p>
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
    <p class="row hint" id="available-result" role="status" data-testid="available-result"></p>
    <div class="row end">
      <button type="button" class="quiet" id="available-choose-all" data-testid="available-choose-all" hidden>[[Choose all shown]]</button>
      <span class="grow"></span>
      <button type="button" class="primary" id="available-add-chosen" data-testid="available-add-chosen" hidden>[[Add]]</button>
      <button type="button" data-close data-testid="available-close">[[Done]]</button>
    </div>
  </div>
</dialog>
