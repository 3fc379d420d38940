{{%AUTOESCAPE context="HTML"}}
{{!The frame of the page; /assets/playground.js writes the conversation into it.}}
<link rel="stylesheet" href="{{ASSETS}}/playground.css">
<div class="page-playground" id="playground" data-max-body="{{MAX_LARGE_JSON_BODY}}" data-max-message="{{MAX_MESSAGE}}" data-max-history="{{MAX_HISTORY}}" data-max-content="{{MAX_HISTORY_CONTENT}}" data-max-images="{{MAX_IMAGES}}" data-max-image-bytes="{{MAX_IMAGE_BYTES}}" data-max-all-image-bytes="{{MAX_ALL_IMAGE_BYTES}}" data-image-types="{{IMAGE_TYPE_WORDS}}" data-default-capabilities="{{DEFAULT_CAPABILITIES}}" data-search-types="{{SEARCH_TYPES}}" data-chat-types="{{CHAT_TYPES}}" data-messages-types="{{MESSAGES_TYPES}}" data-stall-seconds="20">
  <div class="talk-head">
    <h1 id="playground-title">[[Playground]]</h1>
    <div class="row">
      <button type="button" class="quiet" id="playground-conversations" aria-haspopup="dialog" data-testid="playground-conversations"><svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M4 6h16M4 12h16M4 18h10"/></svg><span>[[Conversations]]</span></button>
      <button type="button" class="quiet" id="playground-clear" data-testid="playground-clear" disabled><svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M12 5v14M5 12h14"/></svg><span id="playground-clear-name">[[Clear]]</span></button>
      <button type="button" class="quiet" id="playground-compare" aria-pressed="false" title="[[Ask up to three at once and see their answers side by side]]" data-testid="playground-compare"><svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M4 5h16v14H4zM12 5v14"/></svg><span>[[Compare]]</span></button>
      <details class="more-place" id="playground-more">
        <summary aria-label="[[More]]" title="[[More]]" data-testid="playground-more"><svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M5 12h.01M12 12h.01M19 12h.01"/></svg></summary>
        <div class="card menu" id="playground-tools">
          <button type="button" class="quiet" id="playground-copy" data-testid="playground-copy" disabled>[[Copy as Markdown]]</button>
          <button type="button" class="quiet" id="playground-save" data-testid="playground-save" disabled>[[Save as Markdown]]</button>
          <button type="button" class="quiet" id="playground-print" data-testid="playground-print" disabled>[[Print]]</button>
          {{#ACCESS}}<button type="button" class="quiet" id="playground-code" aria-haspopup="dialog" data-testid="playground-code" disabled>[[Last message as code]]</button>{{/ACCESS}}
        </div>
      </details>
    </div>
  </div>

  <div class="log" id="playground-log" role="log" aria-live="polite" aria-label="[[Conversation]]" tabindex="0" data-testid="playground-log">
    <h2 class="away">[[Conversation]]</h2>
    <div class="log-empty" id="playground-empty">
      <img src="{{ASSETS}}/logo.svg" alt="" width="56" height="56">
      <div id="playground-ready">
        <p class="big">[[Ask something]]</p>
        <div class="row prompts">
          <button type="button" data-testid="playground-prompt">[[Explain how HTTPS works, in five sentences.]]</button>
          <button type="button" data-testid="playground-prompt">[[Write a Python function that finds duplicate files.]]</button>
          <button type="button" data-testid="playground-prompt">[[Compare SQLite and PostgreSQL in a table.]]</button>
        </div>
      </div>
      <div id="playground-none" data-testid="playground-none" hidden>
        <p class="big">[[No provider yet]]</p>
        <p class="muted">[[Add one to start chatting.]]</p>
        <a class="button primary" href="/user/providers">[[Go to the providers]]</a>
      </div>
    </div>
    <div class="talk" id="playground-talk"></div>
    <p class="note bad late" id="late" data-testid="late">[[This page has not loaded completely.]] <a href="/user/playground">[[Try again]]</a></p>
    <noscript><p class="note bad">[[This page needs JavaScript.]]</p></noscript>
  </div>

  <form class="composer" id="playground-form" novalidate>
    <div class="box">
      <button type="button" class="round jump" id="playground-jump" aria-label="[[To the end]]" title="[[To the end]]" data-testid="playground-jump" hidden><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M10 4v11.5M4.8 10.4 10 15.6l5.2-5.2"/></svg></button>
      <ul class="images" id="playground-images" aria-label="[[Images of the message]]" data-testid="playground-images" hidden></ul>
      <p class="error" data-error-for="images" role="alert" data-testid="playground-images-error"></p>
      <label class="away" for="playground-message">[[Message]]</label>
      <textarea id="playground-message" name="message" rows="1" dir="auto" enterkeyhint="enter" data-draft="message" placeholder="[[Message]]"
                aria-describedby="playground-keys" data-testid="playground-message"></textarea>
      <p class="error" data-error-for="message" role="alert" data-testid="playground-message-error"></p>
      <p class="hint" id="playground-counter" data-testid="playground-counter"></p>
      <div class="box-foot">
        <button type="button" class="round quiet" id="playground-add-images" aria-label="[[Add images]]" title="[[Add images]]" data-testid="playground-add-images" hidden><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M3 4h14v12H3zM3 13.5l4-4 4.5 4.5 2.5-2.5 3 3M13 7.6h.01"/></svg></button>
        <input type="file" id="playground-files" accept="{{IMAGE_TYPE_WORDS}}" multiple hidden data-testid="playground-files">
        <div class="choosers" id="playground-choosers">
          <button type="button" class="round quiet" id="compare-add" aria-label="[[Add a model]]" title="[[Add a model]]" data-testid="compare-add" hidden><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M10 4.5v11M4.5 10h11"/></svg></button>
        </div>
        <details class="options" id="playground-options">
          <summary data-testid="playground-options">[[Options]]<span id="playground-set"></span></summary>
          <div class="stack card">
            <div class="field">
              <label for="playground-system">[[System prompt]]</label>
              <textarea id="playground-system" name="system" rows="3" dir="auto" data-draft="system" data-testid="playground-system"></textarea>
              <p class="error" data-error-for="system"></p>
            </div>
            <div class="pair">
              <div class="field">
                <label for="playground-temperature">[[Temperature]]</label>
                <input id="playground-temperature" name="temperature" type="number" data-draft="temperature" min="{{MIN_TEMPERATURE}}" max="{{MAX_TEMPERATURE}}" step="0.1"
                       placeholder="[[Default]]" data-testid="playground-temperature">
                <p class="error" data-error-for="temperature"></p>
              </div>
              <div class="field">
                <label for="playground-max-tokens">[[Max tokens]]</label>
                <input id="playground-max-tokens" name="maxTokens" type="number" data-draft="maxTokens" min="{{MIN_MAX_TOKENS}}" max="{{MAX_MAX_TOKENS}}" step="1"
                       placeholder="[[Default]]" data-testid="playground-max-tokens">
                <p class="error" data-error-for="maxTokens"></p>
              </div>
            </div>
            <label class="check">
              <input type="checkbox" name="stream" checked data-testid="playground-stream">
              <span>[[Stream the answer]]</span>
            </label>
          </div>
        </details>
        <button class="round" id="playground-stop" type="button" aria-label="[[Stop]]" title="[[Stop]]" data-testid="playground-stop" hidden><svg viewBox="0 0 20 20" aria-hidden="true"><rect x="4.5" y="4.5" width="11" height="11" rx="2"/></svg></button>
        <button class="round primary" id="playground-send" aria-label="[[Send]]" title="[[Send]]" data-testid="playground-send" disabled><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M10 16V4.5M4.8 9.6 10 4.4l5.2 5.2"/></svg></button>
      </div>
    </div>
    <p class="hint" id="playground-keys"><span>[[Enter sends · Shift+Enter for a new line]] · </span><span id="playground-kept" data-testid="playground-kept">[[Kept in this tab only]]</span></p>
  </form>
  <div class="models" id="chooser" popover role="dialog" aria-label="[[Choose a model]]">
    <input id="chooser-search" role="combobox" aria-label="[[Search models and providers]]" placeholder="[[Search models and providers]]" aria-controls="chooser-list" aria-expanded="true"
           aria-autocomplete="list" autocomplete="off" autocapitalize="off" spellcheck="false" data-testid="chooser-search">
    <div id="chooser-list" role="listbox" aria-label="[[Models]]"></div>
    <p class="hint" id="chooser-none" role="status" data-testid="chooser-none"></p>
  </div>
</div>
