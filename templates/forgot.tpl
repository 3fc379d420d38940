{{%AUTOESCAPE context="HTML"}}
<section class="door card">
  {{#SENT}}
  <h1>[[Check your mail]]</h1>
  <p data-testid="forgot-sent">[[If there is an account for <strong>{{ADDRESS}}</strong>, we have sent it a link. It works once, for one hour.]]</p>
  <p class="muted">[[No mail yet? Look in your spam folder, or <a href="/auth/forgot" data-testid="forgot-again">try another address</a>.]]</p>
  {{/SENT}}
  {{#STALE}}
  <h1>[[This link no longer works]]</h1>
  <p data-testid="stale-link">[[It was used, has expired, or was replaced by a newer one.]]</p>
  {{#FORGOT}}<a class="button primary wide" href="/auth/forgot" data-testid="new-link">[[Send a new link]]</a>{{/FORGOT}}
  <p class="muted">[[Were you invited, and have no password yet? Ask the person who invited you for a new invitation.]]</p>
  {{/STALE}}
  {{#ASK}}
  <h1>[[Forgot your password?]]</h1>
  <p class="muted">[[Enter your e-mail and we will send you a link to set a new password.]]</p>
  <form class="stack" method="post" action="/auth/forgot">
    <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
    <div class="field">
      <label for="email">[[E-mail]]</label>
      <input id="email" name="email" type="email" value="{{EMAIL_VALUE}}" required data-address autofocus
             {{#ERROR}}aria-invalid="true"{{/ERROR}} aria-describedby="forgot-error"
             autocomplete="username" autocapitalize="off" spellcheck="false" data-testid="forgot-email">
      <p class="error" id="forgot-error" data-testid="forgot-error">{{#ERROR}}{{MESSAGE}}{{/ERROR}}</p>
    </div>
    <button class="primary wide" data-testid="forgot-submit">[[Send the link]]</button>
  </form>
  {{/ASK}}
  <p class="aside"><a href="/auth/login">[[Back to sign-in]]</a></p>
</section>
