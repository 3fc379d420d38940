{{%AUTOESCAPE context="HTML"}}
<section class="door card" data-testid="confirm-page">
  {{#ASK}}
  <h1>[[Change your address?]]</h1>
  <p>[[You came here from another site, so nothing has been changed yet.]]</p>
  <p>[[If you go on, you will sign in with <strong data-testid="confirm-email">{{NEW_EMAIL}}</strong>.]]</p>
  <p class="row"><a class="button primary" href="{{LINK}}" data-testid="confirm-link">[[Change my address]]</a></p>
  <p class="aside"><a href="/user/settings/profile">[[Leave it as it is]]</a></p>
  {{/ASK}}
  {{#STALE}}
  <h1>[[This link no longer works]]</h1>
  <p data-testid="stale-link">[[It was used, has expired, or was replaced by a newer one.]]</p>
  <p>[[If your e-mail is not the new one yet, ask for another link.]]</p>
  <a class="button primary wide" href="/user/settings/security#email" data-testid="new-link">[[Change e-mail]]</a>
  {{/STALE}}
</section>
