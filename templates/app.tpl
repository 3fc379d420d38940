{{%AUTOESCAPE context="HTML"}}
<section class="door card" data-testid="app-page">
  <h1>[[Set up an authenticator app]]</h1>
  {{>secret}}
  <form class="stack" method="post" action="/user/settings/security/app">
    <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
    <input type="hidden" name="Secret" value="{{SECRET}}">
    <input type="email" value="{{CURRENT_EMAIL}}" autocomplete="username" readonly hidden>
    <div class="field">
      <label for="new-code">[[Code of the new app]]</label>
      <input id="new-code" name="NewCode" required inputmode="numeric" autocomplete="off" class="mono"
             {{#NEW_CODE_ERROR}}aria-invalid="true" autofocus{{/NEW_CODE_ERROR}} aria-describedby="new-code-error" data-testid="new-code">
      <p class="error" id="new-code-error" data-testid="new-code-error">{{#NEW_CODE_ERROR}}{{MESSAGE}}{{/NEW_CODE_ERROR}}</p>
    </div>
    {{>proof app}}
    <label class="check"><input type="checkbox" name="EndOthers" value="true" checked><span>[[Sign out my other devices]]</span></label>
    <button class="primary wide" data-testid="app-submit">[[Turn it on]]</button>
  </form>
  <p class="aside"><a href="/user/settings/security#factor">[[Back to the settings]]</a></p>
</section>
