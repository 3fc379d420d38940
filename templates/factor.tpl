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
  <h1>[[Set up an authenticator app]]</h1>
  <p>[[Your administrator requires a second factor.]]</p>
  {{>secret}}
  {{/ENROL}}
  {{#ERROR}}<p class="note bad" role="alert" id="factor-error" data-testid="login-error">{{MESSAGE}}</p>{{/ERROR}}
  <form class="stack" method="post" action="/auth/factor">
    <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
    <input type="hidden" name="user" value="{{USER_ID}}">
    <input type="hidden" name="signIn" value="{{SIGN_IN_ID}}">
    <input type="hidden" name="returnUrl" value="{{RETURN_URL}}">
    {{#REMEMBERED}}<input type="hidden" name="rememberMe" value="true">{{/REMEMBERED}}
    {{#ENROL}}<input type="hidden" name="Secret" value="{{SECRET}}">{{/ENROL}}
    <div class="field">
      <label for="code">[[Code]]</label>
      <input id="code" name="Code" required autofocus autocomplete="one-time-code" autocapitalize="off" spellcheck="false" class="mono"
             {{#ERROR}}aria-invalid="true" aria-describedby="factor-error"{{/ERROR}} data-testid="factor-code">
    </div>
    <button class="primary wide" data-testid="factor-submit">[[Sign in]]</button>
    {{#PASSKEYS}}<button type="button" class="wide" data-passkey data-challenge="{{CHALLENGE}}" data-allowed="{{ALLOWED}}" data-testid="factor-passkey" hidden>[[Use a passkey]]</button>{{/PASSKEYS}}
  </form>
  <p class="aside"><a href="/auth/login">[[Back to sign-in]]</a></p>
</section>
