{{%AUTOESCAPE context="HTML"}}
<section class="door">
  <h1>[[Choose a password]]</h1>
  {{#INVITE}}<p class="muted">[[Welcome. Your account is ready, and this password will open it.]]</p>{{/INVITE}}
  <form class="stack" method="post" action="/auth/reset">
    <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
    <input type="hidden" name="token" value="{{TOKEN}}">
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
      <p class="hint" id="password-hint">[[At least {{MIN_PASSWORD_CHARACTERS}} characters; no common password, nor your own name. Several words that have nothing to do with each other are strong and easy to keep in mind.]]</p>
    </div>
    <button class="primary wide" data-testid="reset-submit">[[Save the password]]</button>
  </form>
  <p class="aside"><a href="/auth/login">[[Back to sign-in]]</a></p>
</section>
