{{%AUTOESCAPE context="HTML"}}
<section class="door card">
  <div class="greeting">
    <img src="{{ASSETS}}/logo.svg" alt="" width="56" height="56">
    <h1>[[Sign in to usershell]]</h1>
    <p class="muted">[[Your AI keys in one place: kept encrypted, checked, ready to chat.]]</p>
  </div>
  {{#ERROR}}<p class="note bad" role="alert" id="login-error" data-testid="login-error">{{MESSAGE}}</p>{{/ERROR}}
  <form class="stack" method="post" action="/auth/login"{{#WAIT}} data-wait="{{SECONDS}}"{{/WAIT}}>
    <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
    <input type="hidden" name="returnUrl" value="{{RETURN_URL}}">
    <div class="field">
      <label for="email">[[E-mail]]</label>
      <input id="email" name="email" type="email" value="{{EMAIL_VALUE}}" required data-address {{#NEW}}autofocus{{/NEW}}
             autocomplete="username webauthn" autocapitalize="off" spellcheck="false" data-testid="login-email">
    </div>
    <div class="field">
      <label for="password">[[Password]]</label>
      <input id="password" name="password" type="password" required
             {{#ERROR}}aria-describedby="login-error" autofocus{{/ERROR}}
             autocomplete="current-password" data-testid="login-password">
    </div>
    <label class="check">
      <input type="checkbox" name="rememberMe" value="true" data-testid="login-remember">
      <span>[[Keep me signed in on this device]]</span>
    </label>
    <button class="primary wide" data-testid="login-submit">[[Sign in]]</button>
    <button type="button" class="wide" data-passkey="offered" data-challenge="{{CHALLENGE}}" data-testid="login-passkey" hidden>[[Sign in with a passkey]]</button>
  </form>
  {{#FORGOT}}<p class="aside"><a href="/auth/forgot" data-testid="forgot-link">[[Forgot your password?]]</a></p>{{/FORGOT}}
</section>
