{{%AUTOESCAPE context="HTML"}}
<section class="door card">
  <h1>[[Choose a password]]</h1>
  {{#INVITE}}<p>[[Welcome, {{INVITED}}. Choose a password for your account.]]</p>{{/INVITE}}
  <form class="stack" method="post" action="/auth/reset">
    <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
    <input type="hidden" name="token" value="{{TOKEN}}">
    <div class="field">
      <label for="account">[[E-mail]]</label>
      <input id="account" type="email" value="{{ACCOUNT}}" autocomplete="username" readonly data-address>
    </div>
    <div class="field">
      <label for="password">[[Password]]</label>
      <div class="with-button">
        <input id="password" data-least="{{MIN_PASSWORD_CHARACTERS}}" name="password" type="password" required
               {{#ERROR}}aria-invalid="true"{{/ERROR}} autofocus
               autocomplete="new-password" aria-describedby="password-length reset-error password-hint" data-testid="reset-password">
        <button type="button" aria-pressed="false" aria-label="[[Show the password]]" data-reveals="password" data-testid="reset-password-reveal" hidden>[[Show]]</button>
      </div>
      <p class="hint" id="password-length" role="status" data-testid="reset-password-length"></p>
      <p class="error" id="reset-error" data-testid="reset-error">{{#ERROR}}{{MESSAGE}}{{/ERROR}}</p>
      <p class="hint" id="password-hint">[[At least {{MIN_PASSWORD_CHARACTERS}} characters. Avoid common passwords and your name; a few unrelated words are strong and easy to remember.]]</p>
    </div>
    <button class="primary wide" data-testid="reset-submit">[[Save the password]]</button>
  </form>
  <p class="aside"><a href="/auth/login">[[Back to sign-in]]</a></p>
</section>
