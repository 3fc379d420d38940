{{%AUTOESCAPE context="HTML"}}
{{!The frame of every page. CONTENT is filled by the page's own template. Tags run over
several lines, so templates are loaded with STRIP_BLANK_LINES, never STRIP_WHITESPACE.}}
<!doctype html>
<html lang="{{LANGUAGE}}">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <meta name="theme-color" media="(prefers-color-scheme: light)" content="#ffffff">
  <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#16191e">
  <meta name="description" content="[[Your AI providers, their keys and models in one place, and your profile.]]">
  <meta name="request-verification-token" content="{{ANTIFORGERY}}">
  {{#SIGNED_IN}}<meta name="user-id" content="{{USER_ID}}">{{/SIGNED_IN}}
  <title>{{TITLE}} · usershell</title>
  <link rel="preload" href="{{ASSETS}}/inter.woff2" as="font" type="font/woff2" crossorigin>
  <link rel="stylesheet" href="{{ASSETS}}/app.css">
  {{#TRANSLATED}}<script src="{{ASSETS}}/languages/{{LANGUAGE}}.js"></script>{{/TRANSLATED}}
  <script src="{{ASSETS}}/choices.js"></script>
  <link rel="icon" type="image/svg+xml" href="{{ASSETS}}/favicon.svg">
  {{#PRELOAD}}<link rel="modulepreload" fetchpriority="low" href="{{HREF}}">
  {{/PRELOAD}}
  {{#SCRIPT}}<script type="module" src="{{SRC}}"></script>{{/SCRIPT}}
</head>
<body>
  <a class="skip" href="#main">[[Skip to the content]]</a>
  <header class="bar">
    <a class="brand" href="/"><img src="{{ASSETS}}/logo.svg" alt="" width="26" height="26"><span>usershell</span></a>
    {{#SIGNED_IN}}
    <nav aria-label="[[Main]]">
      <a href="/user/providers">[[Providers]]</a>
      <a href="/user/playground" data-testid="to-playground">[[Playground]]</a>
    </nav>
    {{/SIGNED_IN}}
    <button type="button" class="account" popovertarget="account-menu" data-testid="account">
      {{#SIGNED_IN}}<img class="avatar" src="/user/settings/profile/avatar" alt="" width="28" height="28">
      <span class="me-name" dir="auto" data-testid="display-name">{{DISPLAY_NAME}}</span>{{/SIGNED_IN}}
      <span class="away">[[Menu]]</span>
      <svg class="icon" viewBox="0 0 18 18" aria-hidden="true"><path d="M3 5.5h12M3 9h12M3 12.5h12"/></svg>
    </button>
    <div class="account-menu" id="account-menu" popover data-testid="account-menu">
      {{#SIGNED_IN}}
      <p class="menu-head"><strong dir="auto">{{DISPLAY_NAME}}</strong><br><span class="hint">{{EMAIL}}</span></p>
      <hr>
      <nav aria-label="[[Account]]">
        <a href="/user/settings/profile">[[Profile]]</a>
        <a href="/user/settings/security">[[Security]]</a>
        {{#ACCESS}}<a href="/user/settings/access" data-testid="to-access">[[Access]]</a>{{/ACCESS}}
      </nav>
      <hr>
      {{/SIGNED_IN}}
      <div class="switches" hidden>
        <label for="theme">[[Theme]]
          <select id="theme" data-testid="theme">
            <option value="">[[System]]</option>
            <option value="light">[[Light]]</option>
            <option value="dark">[[Dark]]</option>
          </select>
        </label>
        <label for="language">[[Language]]
          <select id="language" data-testid="language">
            <option value="">[[Browser default]]</option>
            {{#CHOICE}}<option value="{{CODE}}" lang="{{CODE}}">{{NAME}}</option>
            {{/CHOICE}}
          </select>
        </label>
      </div>
      {{#SIGNED_IN}}
      <hr>
      <form method="post" action="/auth/logout">
        <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
        <button class="quiet" data-testid="sign-out">[[Sign out]]</button>
      </form>
      {{/SIGNED_IN}}
    </div>
  </header>
  <main id="main" tabindex="-1">
    {{#NOTICE}}<p class="note good" role="status" data-testid="notice">{{MESSAGE}}</p>{{/NOTICE}}
    {{>CONTENT}}
  </main>
  {{#SIGNED_IN}}
  <dialog id="sign-in-dialog" aria-labelledby="sign-in-title" data-testid="sign-in-dialog">
    <form class="stack" method="post" action="/auth/login">
      <h2 id="sign-in-title"><span data-again="no">[[Your session has ended]]</span><span data-again="yes" hidden>[[Your password, please]]</span></h2>
      <p><span data-again="no">[[Sign in to go on. Your text stays here.]]</span><span data-again="yes" hidden>[[Your tools follow this change, and you signed in a while ago. Sign in again to make it.]]</span></p>
      <div class="field">
        <label for="sign-in-email">[[E-mail]]</label>
        <input id="sign-in-email" name="email" type="email" value="{{EMAIL}}" required autocomplete="username" autocapitalize="off" spellcheck="false" data-testid="sign-in-email">
      </div>
      <div class="field">
        <label for="sign-in-password">[[Password]]</label>
        <input id="sign-in-password" name="password" type="password" required autofocus autocomplete="current-password" data-testid="sign-in-password">
      </div>
      <div class="field" hidden>
        <label for="sign-in-code">[[Code from your app, or a recovery code]]</label>
        <input id="sign-in-code" name="Code" autocomplete="one-time-code" autocapitalize="off" spellcheck="false" class="mono" data-testid="sign-in-code">
        <p class="hint"><a id="sign-in-elsewhere" href="/auth/login?again=yes" target="_blank" data-testid="sign-in-elsewhere" hidden>[[Use your passkey in another tab]]</a></p>
      </div>
      <label class="check"><input type="checkbox" name="rememberMe" value="true"><span>[[Keep me signed in on this device]]</span></label>
      <p class="error" id="sign-in-error" role="alert" data-testid="sign-in-error"></p>
      <div class="row end">
        <button type="button" id="sign-in-cancel" data-testid="sign-in-cancel">[[Cancel]]</button>
        <button class="primary" data-testid="sign-in-submit">[[Sign in]]</button>
      </div>
    </form>
  </dialog>
  <dialog id="confirm-dialog" role="alertdialog" aria-labelledby="confirm-title" aria-describedby="confirm-text" data-testid="confirm-dialog">
    <form class="stack" method="dialog">
      <h2 id="confirm-title"></h2>
      <p id="confirm-text"></p>
      <div class="row end">
        <button value="no" autofocus data-testid="confirm-no">[[Cancel]]</button>
        <button value="yes" class="danger" data-testid="confirm-yes">[[Delete]]</button>
      </div>
    </form>
  </dialog>
  <p class="toast" id="toast" role="status" aria-live="polite" data-testid="toast"></p>
  {{/SIGNED_IN}}
</body>
</html>
