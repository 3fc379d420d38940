{{%AUTOESCAPE context="HTML"}}
<section class="door">
  <h1>[[Forgot your password?]]</h1>
  {{#SENT}}<p class="note good" role="status" data-testid="forgot-sent">[[If an account has this address, a message with a link is on its way to it. The link works once.]]</p>{{/SENT}}
  <p class="muted">[[Enter the address you sign in with. You get a link there to choose a new password.]]</p>
  <form class="stack" method="post" action="/auth/forgot">
    <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
    <div class="field">
      <label for="email">[[E-mail]]</label>
      <input id="email" name="email" type="email" value="{{EMAIL_VALUE}}" required
             {{#ERROR}}aria-invalid="true" autofocus{{/ERROR}} aria-describedby="forgot-error"
             autocomplete="username" autocapitalize="off" spellcheck="false" data-testid="forgot-email">
      <p class="error" id="forgot-error" data-testid="forgot-error">{{#ERROR}}{{MESSAGE}}{{/ERROR}}</p>
    </div>
    <button class="primary wide" data-testid="forgot-submit">[[Send the link]]</button>
  </form>
  <p class="aside"><a href="/auth/login">[[Back to sign-in]]</a></p>
</section>
