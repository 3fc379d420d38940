{{%AUTOESCAPE context="HTML"}}
<div class="settings page-access">
  <nav class="settings-nav" aria-label="[[Settings]]">
    <ul>
      <li><a href="/user/settings/profile">[[Profile]]</a></li>
      <li><a href="/user/settings/security">[[Security]]</a></li>
      <li><a href="/user/settings/access" aria-current="true">[[Access]]</a>
        <ul>
          <li><a href="#limits">[[Limits and end]]</a></li>
          <li><a href="#renew">[[New secret]]</a></li>
          <li><a href="#switch">[[On and off]]</a></li>
        </ul>
      </li>
    </ul>
  </nav>
  <div class="sections">
    <h1><span dir="auto">{{TOKEN_NAME}}</span></h1>
    <p class="muted"><a href="/user/settings/access">[[Access]]</a> · <code>{{HINT}}…</code></p>
    <p class="error" role="alert" data-testid="token-error">{{#FORM_ERROR}}{{MESSAGE}}{{/FORM_ERROR}}</p>

    <section class="card pad" id="limits" aria-labelledby="limits-title">
      <h2 id="limits-title">[[Limits and end]]</h2>
      <p class="muted">[[They hold for calls that begin from now on.]]</p>
      <form class="stack" method="post" action="/user/settings/access/{{TOKEN_ID}}">
        <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
        <input type="email" value="{{CURRENT_EMAIL}}" autocomplete="username" readonly hidden>
        {{>limits}}
        {{>proof limits}}
        <p class="row"><button class="primary" data-testid="limits-submit">[[Save]]</button></p>
      </form>
    </section>

    <section class="card pad" id="renew" aria-labelledby="renew-title">
      <h2 id="renew-title">[[New secret]]</h2>
      <p class="muted">[[Name, limits and end stay. The new secret is shown once; put it into your tools.]]</p>
      {{#OLD_SECRET}}<p class="hint">[[The secret before this one is good until]] <time datetime="{{UNTIL}}" data-minutes>{{UNTIL_TEXT}}</time> (<code>{{OLD_HINT}}…</code>). [[Another renewal ends it at once.]]</p>{{/OLD_SECRET}}
      <form class="stack" method="post" action="/user/settings/access/{{TOKEN_ID}}/renew">
        <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
        <input type="hidden" name="Selector" value="{{SELECTOR}}">
        <input type="email" value="{{CURRENT_EMAIL}}" autocomplete="username" readonly hidden>
        <div class="field">
          <label for="renew-overlap">[[The present secret]]</label>
          <select id="renew-overlap" name="Overlap" data-testid="renew-overlap">
            <option value="0">[[ends at once]]</option>
            <option value="1">[[is good for 1 hour more]]</option>
            <option value="24" selected>[[is good for 24 hours more]]</option>
            <option value="168">[[is good for 7 days more]]</option>
          </select>
        </div>
        {{>proof renew}}
        <p class="row"><button class="primary" data-testid="renew-submit">[[Renew]]</button></p>
      </form>
    </section>

    <section class="card pad" id="switch" aria-labelledby="switch-title">
      <h2 id="switch-title">[[On and off]]</h2>
      {{#ON}}
      <p class="muted">[[While it is off, tools that use it are refused. Calls that run end within a minute.]]</p>
      <form method="post" action="/user/settings/access/{{TOKEN_ID}}/disable">
        <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
        <p class="row"><button data-testid="token-disable">[[Switch off]]</button></p>
      </form>
      {{/ON}}
      {{#OFF}}
      <p class="muted">[[It is off: tools that use it are refused.]]</p>
      <form class="stack" method="post" action="/user/settings/access/{{TOKEN_ID}}/enable">
        <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
        <input type="email" value="{{CURRENT_EMAIL}}" autocomplete="username" readonly hidden>
        {{>proof enable}}
        <p class="row"><button class="primary" data-testid="enable-submit">[[Switch on]]</button></p>
      </form>
      {{/OFF}}
    </section>
  </div>
</div>
