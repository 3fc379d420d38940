{{%AUTOESCAPE context="HTML"}}
<section class="door card" data-testid="passkey-page">
  <h1>[[Add a passkey]]</h1>
  <p>[[Your device or security key keeps the passkey. You sign in with a fingerprint, your face or a PIN.]]</p>
  <p class="note bad" role="alert" data-testid="passkey-error">{{#FORM_ERROR}}{{MESSAGE}}{{/FORM_ERROR}}</p>
  <form class="stack" method="post" action="/user/settings/security/passkey">
    <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
    {{>new_passkey}}
    <div class="field">
      <label for="passkey-name">[[Name]]</label>
      <input id="passkey-name" name="Name" value="{{NAME_VALUE}}" required autocomplete="off"
             {{#NAME_ERROR}}aria-invalid="true" autofocus{{/NAME_ERROR}} aria-describedby="passkey-name-error" data-testid="new-passkey-name">
      <p class="error" id="passkey-name-error" data-testid="new-passkey-name-error">{{#NAME_ERROR}}{{MESSAGE}}{{/NAME_ERROR}}</p>
    </div>
    <input type="email" value="{{CURRENT_EMAIL}}" autocomplete="username" readonly hidden>
    {{>proof passkey}}
    <label class="check"><input type="checkbox" name="EndOthers" value="true" checked><span>[[Sign out my other devices]]</span></label>
    <button class="primary wide" data-testid="passkey-submit">[[Create the passkey]]</button>
  </form>
  <p class="aside"><a href="/user/settings/security#factor">[[Back to the settings]]</a></p>
</section>
