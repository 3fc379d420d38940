{{%AUTOESCAPE context="HTML"}}
<section class="door card" data-testid="factor-page">
  {{#ASK}}
  <h1>[[Your code, please]]</h1>
  <p>[[Open your authenticator app and type the six digits that it shows. A recovery code works, too.]]</p>
  {{/ASK}}
  {{#ASK_PASSKEY}}
  <h1>[[Your passkey, please]]</h1>
  <p>[[Use your passkey. If you do not have it at hand, a recovery code works, too.]]</p>
  {{/ASK_PASSKEY}}
  {{#ENROL}}
  <h1>[[Add a second factor]]</h1>
  <p>[[Your administrator requires a second factor.]]</p>
  {{/ENROL}}
  {{#ENROL_PASSKEY}}
  <h1>[[Add a passkey]]</h1>
  <p>[[Your administrator requires a passkey.]]</p>
  {{/ENROL_PASSKEY}}
  {{#ERROR}}<p class="note bad" role="alert" id="factor-error" data-testid="login-error">{{MESSAGE}}</p>{{/ERROR}}
  {{#NEW_PASSKEY}}
  <form class="stack" method="post" action="/auth/factor">
    <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
    <input type="hidden" name="user" value="{{USER_ID}}">
    <input type="hidden" name="signIn" value="{{SIGN_IN_ID}}">
    <input type="hidden" name="returnUrl" value="{{RETURN_URL}}">
    {{#REMEMBERED}}<input type="hidden" name="rememberMe" value="true">{{/REMEMBERED}}
    {{>new_passkey}}
    <p>[[Your device or security key keeps the passkey. You sign in with a fingerprint, your face or a PIN.]]</p>
    <button class="primary wide" autofocus data-testid="enrol-passkey">[[Create the passkey]]</button>
  </form>
  {{/NEW_PASSKEY}}
  {{#ENROL}}
  <h2>[[Or an authenticator app]]</h2>
  {{>secret}}
  {{/ENROL}}
  {{#CODES}}
  <form class="stack" method="post" action="/auth/factor">
    <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
    <input type="hidden" name="user" value="{{USER_ID}}">
    <input type="hidden" name="signIn" value="{{SIGN_IN_ID}}">
    <input type="hidden" name="returnUrl" value="{{RETURN_URL}}">
    {{#REMEMBERED}}<input type="hidden" name="rememberMe" value="true">{{/REMEMBERED}}
    {{#ENROL}}<input type="hidden" name="Secret" value="{{SECRET}}">{{/ENROL}}
    <div class="field">
      <label for="code">[[Code]]</label>
      <input id="code" name="Code" required {{#ASKED}}autofocus{{/ASKED}} autocomplete="one-time-code" autocapitalize="off" spellcheck="false" class="mono"
             {{#ERROR}}aria-invalid="true" aria-describedby="factor-error"{{/ERROR}} data-testid="factor-code">
    </div>
    <button class="{{#ASKED}}primary{{/ASKED}} wide" data-testid="factor-submit">[[Sign in]]</button>
    {{#PASSKEYS}}<button type="button" class="wide" data-passkey data-challenge="{{CHALLENGE}}" data-allowed="{{ALLOWED}}" data-testid="factor-passkey" hidden>[[Use a passkey]]</button>{{/PASSKEYS}}
  </form>
  {{/CODES}}
  <p class="aside"><a href="/auth/login">[[Back to sign-in]]</a></p>
</section>
