{{%AUTOESCAPE context="HTML"}}
<div class="pair">
  <div class="field">
    <label for="token-name">[[Name]]</label>
    <input id="token-name" name="Name" value="{{LABEL_VALUE}}" required autocomplete="off" placeholder="[[laptop]]"
           {{#LABEL_ERROR}}aria-invalid="true" autofocus{{/LABEL_ERROR}} aria-describedby="token-name-error" data-testid="token-name">
    <p class="error" id="token-name-error" data-testid="token-name-error">{{#LABEL_ERROR}}{{MESSAGE}}{{/LABEL_ERROR}}</p>
  </div>
  <div class="field">
    <label for="token-life">[[Valid for]]</label>
    <select id="token-life" name="Life" aria-describedby="token-ends" data-testid="token-life">
      {{#LIFE}}<option value="{{VALUE}}" data-ends="{{ENDS}}" {{#CHOSEN}}selected{{/CHOSEN}}>{{TEXT}}</option>
      {{/LIFE}}<option value="own" {{#OWN_CHOSEN}}selected{{/OWN_CHOSEN}}>[[Another number of days]]</option>
    </select>
    <input id="token-days" name="Days" type="number" value="{{DAYS_VALUE}}" min="{{MIN_TOKEN_DAYS}}" max="{{MAX_TOKEN_DAYS}}" aria-label="[[Days]]"
           {{#DAYS_ERROR}}aria-invalid="true" autofocus{{/DAYS_ERROR}} aria-describedby="token-days-error" data-testid="token-days">
    <p class="error" id="token-days-error" data-testid="token-days-error">{{#DAYS_ERROR}}{{MESSAGE}}{{/DAYS_ERROR}}</p>
    <p class="hint" id="token-ends" role="status">[[Ends on]] <time datetime="{{ENDS}}" data-testid="token-ends">{{ENDS}}</time></p>
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
        <p class="error" id="token-requests-error" data-testid="token-requests-error">{{#REQUESTS_ERROR}}{{MESSAGE}}{{/REQUESTS_ERROR}}</p>
      </div>
      <div class="field">
        <label for="token-tokens">[[Tokens a day]]</label>
        <input id="token-tokens" name="TokensADay" type="number" value="{{TOKENS_VALUE}}" placeholder="[[no limit]]"
               min="{{MIN_TOKENS_A_DAY}}" max="{{MAX_TOKENS_A_DAY}}"
               {{#TOKENS_ERROR}}aria-invalid="true" autofocus{{/TOKENS_ERROR}} aria-describedby="token-tokens-error token-tokens-hint" data-testid="token-tokens">
        <p class="error" id="token-tokens-error">{{#TOKENS_ERROR}}{{MESSAGE}}{{/TOKENS_ERROR}}</p>
      </div>
    </div>
    <p class="hint" id="token-tokens-hint">[[The last call of a day may exceed the limit slightly. Days end at midnight UTC.]]</p>
    <fieldset class="field" aria-describedby="token-providers-error">
      <legend>[[Providers]] {{#NONE_IS_ALL}}<span class="hint">[[All that you have now, if none is selected]]</span>{{/NONE_IS_ALL}}</legend>
      <div class="choices">
        {{#PROVIDER}}<label class="check"><input type="checkbox" name="Providers.{{VALUE}}" value="true" {{#TICKED}}checked{{/TICKED}}><span>{{PROVIDER_LABEL}}</span></label>
        {{/PROVIDER}}
      </div>
      <label class="check"><input type="checkbox" name="LaterProviders" value="true" {{#LATER_TICKED}}checked{{/LATER_TICKED}} data-testid="token-later-providers"><span>[[All providers, also those that are added later]]</span></label>
      <p class="error" id="token-providers-error" data-testid="token-providers-error">{{#PROVIDERS_ERROR}}{{MESSAGE}}{{/PROVIDERS_ERROR}}</p>
    </fieldset>
    <div class="field">
      <label for="token-models">[[Models]] <span class="hint">[[All, if none is named]]</span></label>
      <textarea id="token-models" name="Models" rows="2" spellcheck="false" autocapitalize="off" class="mono" placeholder="model@handle"
                {{#MODELS_ERROR}}aria-invalid="true" autofocus{{/MODELS_ERROR}} aria-describedby="token-models-error token-models-hint" data-testid="token-models">{{#MODEL_LINE}}{{TEXT}}
{{/MODEL_LINE}}</textarea>
      <p class="error" id="token-models-error" data-testid="token-models-error">{{#MODELS_ERROR}}{{MESSAGE}}{{/MODELS_ERROR}}</p>
      <p class="hint" id="token-models-hint">[[One per line. Yours are:]]{{#MODEL}} <code data-full="{{MODEL_FULL}}">{{MODEL_TEXT}}</code>{{/MODEL}}</p>
    </div>
    <fieldset class="field" aria-describedby="token-routes-error">
      <legend>[[APIs]] <span class="hint">[[All, if none is selected]]</span></legend>
      <div class="choices">
        {{#ROUTE}}<label class="check"><input type="checkbox" name="Routes.{{VALUE}}" value="true" {{#TICKED}}checked{{/TICKED}}><span>{{VALUE}}</span></label>
        {{/ROUTE}}
      </div>
      <p class="error" id="token-routes-error">{{#ROUTES_ERROR}}{{MESSAGE}}{{/ROUTES_ERROR}}</p>
    </fieldset>
    <label class="check"><input type="checkbox" name="StoredObjects" value="true" {{#STORED_TICKED}}checked{{/STORED_TICKED}}><span>[[Allow conversations, files and prompts stored at the provider]]</span></label>
  </div>
</details>
