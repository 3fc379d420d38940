{{%AUTOESCAPE context="HTML"}}
<div class="settings page-security">
  <nav class="settings-nav" aria-label="[[Settings]]">
    <ul>
      <li><a href="/user/settings/profile">[[Profile]]</a></li>
      <li><a href="/user/settings/security" aria-current="page">[[Security]]</a>
        <ul>
          <li><a href="#email">[[E-mail]]</a></li>
          <li><a href="#password">[[Password]]</a></li>
          <li><a href="#factor">[[Second factor]]</a></li>
          <li><a href="#links">[[Mailed links]]</a></li>
          <li><a href="#sessions">[[Devices]]</a></li>
          <li><a href="#events">[[Recent activity]]</a></li>
          <li><a href="#delete">[[Delete my account]]</a></li>
        </ul>
      </li>
      {{#ACCESS}}<li><a href="/user/settings/access">[[Access]]</a></li>{{/ACCESS}}
    </ul>
  </nav>
  <div class="sections">
    <h1>[[Security]]</h1>
  
    <section class="card pad" id="email" aria-labelledby="email-title">
      <h2 id="email-title">[[E-mail]]</h2>
      {{#EMAIL_NOTICE}}<p class="note good" role="status" data-testid="notice">{{MESSAGE}}</p>{{/EMAIL_NOTICE}}
      <p>[[You sign in with <strong data-testid="current-email">{{CURRENT_EMAIL}}</strong>.]]</p>
      {{#PENDING}}
      <div class="note" data-testid="pending-email">
        <p>[[Check the mail of <strong>{{PENDING_EMAIL}}</strong> and open the link. Until then you sign in with the old address.]]</p>
        <div class="row">
          <form method="post" action="/user/settings/profile/email">
            <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
            <input type="hidden" name="NewEmail" value="{{PENDING_EMAIL}}">
            <input type="hidden" name="Again" value="true">
            {{>proof pending}}
            <button data-testid="pending-again">[[Send again]]</button>
          </form>
          <form method="post" action="/user/settings/profile/links/email-change/end">
            <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
            <button data-testid="pending-cancel">[[Cancel the change]]</button>
          </form>
        </div>
      </div>
      {{/PENDING}}
      <details {{#email_open}}open{{/email_open}}{{#NEW_EMAIL_ERROR}}open{{/NEW_EMAIL_ERROR}}>
      <summary data-testid="email-part">[[Change e-mail]]</summary>
      <form class="stack" method="post" action="/user/settings/profile/email">
        <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
        <div class="field">
          <label for="new-email">[[New e-mail]]</label>
          <input id="new-email" name="NewEmail" type="email" value="{{NEW_EMAIL_VALUE}}" required data-draft="address"
                 autocomplete="email" autocapitalize="off" spellcheck="false"
                 {{#NEW_EMAIL_ERROR}}aria-invalid="true" autofocus{{/NEW_EMAIL_ERROR}} aria-describedby="new-email-hint new-email-error"
                 data-testid="profile-new-email">
          <p class="error" id="new-email-error" data-testid="new-email-error">{{#NEW_EMAIL_ERROR}}{{MESSAGE}}{{/NEW_EMAIL_ERROR}}</p>
          <p class="hint" id="new-email-hint">[[We’ll send a link to the new address. Your e-mail changes when you open it.]]</p>
        </div>
        {{>proof email}}
        <p class="row"><button class="primary" data-testid="profile-email-submit">[[Change e-mail]]</button></p>
      </form>
      </details>
    </section>

    <section class="card pad" id="password" aria-labelledby="password-title">
      <h2 id="password-title">[[Password]]</h2>
      {{#PASSWORD_NOTICE}}<p class="note good" role="status" data-testid="notice">{{MESSAGE}}</p>{{/PASSWORD_NOTICE}}
      <details {{#change_open}}open{{/change_open}}{{#NEW_PASSWORD_ERROR}}open{{/NEW_PASSWORD_ERROR}}>
      <summary data-testid="password-part">[[Change password]]</summary>
      <form class="stack" method="post" action="/user/settings/profile/password">
        <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
        <input type="email" value="{{CURRENT_EMAIL}}" autocomplete="username" readonly hidden>
        {{>proof change}}
        <div class="field">
          <label for="new-password">[[New password]]</label>
          <div class="with-button">
            <input id="new-password" data-least="{{MIN_PASSWORD_CHARACTERS}}" name="NewPassword" type="password" required autocomplete="new-password"
                   {{#NEW_PASSWORD_ERROR}}aria-invalid="true" autofocus{{/NEW_PASSWORD_ERROR}} aria-describedby="new-password-length new-password-hint new-password-error"
                   data-testid="password-new">
            <button type="button" aria-pressed="false" aria-label="[[Show the password]]" data-reveals="new-password" data-testid="password-new-reveal" hidden>[[Show]]</button>
          </div>
          <p class="hint" id="new-password-length" role="status" data-testid="password-new-length"></p>
          <p class="error" id="new-password-error" data-testid="password-new-error">{{#NEW_PASSWORD_ERROR}}{{MESSAGE}}{{/NEW_PASSWORD_ERROR}}</p>
          <p class="hint" id="new-password-hint">[[At least {{MIN_PASSWORD_CHARACTERS}} characters. Avoid common passwords and your name. Your other devices are signed out.]]</p>
        </div>
        {{#TOKENS}}
        <fieldset class="field">
          <legend>[[Access tokens to keep]]</legend>
          {{#TOKEN}}<label class="check"><input type="checkbox" name="Keep.{{TOKEN_ID}}" value="true" {{#KEPT}}checked{{/KEPT}} data-testid="keep-token"><span>{{TOKEN_NAME}}</span></label>
          {{/TOKEN}}
          <p class="hint">[[The others end with the old password. Do not keep a token that another person may know.]]</p>
        </fieldset>
        {{/TOKENS}}
        <p class="row"><button class="primary" data-testid="password-submit">[[Change password]]</button></p>
      </form>
      </details>
    </section>

    <section class="card pad" id="factor" aria-labelledby="factor-title">
      <h2 id="factor-title">[[Second factor]]</h2>
      {{#FACTOR_NOTICE}}<p class="note good" role="status" data-testid="notice">{{MESSAGE}}</p>{{/FACTOR_NOTICE}}
      {{#NO_FACTOR}}<p>[[With a passkey or a code from your phone, the password alone is not enough to get in.]]</p>{{/NO_FACTOR}}
      {{#FACTOR_REQUIRED}}<p class="note">[[Your administrator requires a second factor.]]</p>{{/FACTOR_REQUIRED}}
      {{#PASSKEY_REQUIRED}}<p class="note">[[Your administrator requires a passkey.]]</p>{{/PASSKEY_REQUIRED}}
      <ul class="rows" data-testid="factors">
        {{#APP}}
        <li data-testid="app"><div class="grow"><strong>[[Authenticator app]]</strong>
          <p class="muted">[[since]] <time datetime="{{MADE}}">{{MADE_TEXT}}</time></p></div>
          <a class="button" href="/user/settings/security/app" data-testid="app-replace">[[Use another phone]]</a>
        </li>
        {{/APP}}
        {{#PASSKEY}}
        <li data-testid="passkey"><div class="grow"><strong dir="auto">{{PASSKEY_NAME}}</strong> <span class="tag">[[Passkey]]</span>{{#SYNCED}} <span class="tag">[[synced]]</span>{{/SYNCED}}
          <p class="muted">[[since]] <time datetime="{{MADE}}">{{MADE_TEXT}}</time>{{#USED}}, [[last used]] <time datetime="{{USED_AT}}">{{USED_TEXT}}</time>{{/USED}}</p></div>
          <details data-testid="passkey-rename">
            <summary>[[Rename]]</summary>
            <form class="row" method="post" action="/user/settings/security/passkeys/{{PASSKEY_ID}}">
              <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
              <input name="Name" value="{{PASSKEY_NAME}}" required aria-label="[[Name]]" data-testid="passkey-name">
              <button data-testid="passkey-rename-submit">[[Save]]</button>
            </form>
          </details>
        </li>
        {{/PASSKEY}}
      </ul>
      <p class="row">
        <a class="button primary" href="/user/settings/security/passkey" data-testid="passkey-add">[[Add a passkey]]</a>
        {{#NO_APP}}<a class="button" href="/user/settings/security/app" data-testid="app-add">[[Set up an authenticator app]]</a>{{/NO_APP}}
      </p>
      {{#FACTORS}}
      <p data-testid="codes-left">[[Recovery codes left:]] {{CODES_LEFT}}</p>
      <details {{#recovery_open}}open{{/recovery_open}} data-testid="recovery-part">
        <summary>[[Create new recovery codes]]</summary>
        <form class="stack" method="post" action="/user/settings/security/recovery">
          <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
          <p class="hint">[[The old ones stop working.]]</p>
          {{>proof recovery}}
          <p class="row"><button class="primary" data-testid="recovery-submit">[[Create new codes]]</button></p>
        </form>
      </details>
      <details {{#remove_open}}open{{/remove_open}} data-testid="remove-part">
        <summary>[[Remove a factor]]</summary>
        <form class="stack" method="post" action="/user/settings/security/remove">
          <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
          <fieldset class="field">
            <legend>[[Which one]]</legend>
            {{#APP}}<label class="check"><input type="radio" name="Factor" value="app" required data-testid="remove-app"><span>[[Authenticator app]]</span></label>{{/APP}}
            {{#PASSKEY}}<label class="check"><input type="radio" name="Factor" value="{{PASSKEY_ID}}" required data-testid="remove-key"><span dir="auto">{{PASSKEY_NAME}}</span></label>{{/PASSKEY}}
          </fieldset>
          <p class="hint">[[Your other devices are signed out. Without a factor your recovery codes stop working, and your password alone signs you in, where that is allowed.]]</p>
          {{>proof remove}}
          <p class="row"><button class="danger" data-testid="remove-submit">[[Remove it]]</button></p>
        </form>
      </details>
      {{/FACTORS}}
    </section>

    <section class="card pad" id="links" aria-labelledby="links-title">
      <h2 id="links-title">[[Mailed links]]</h2>
      {{#LINKS_NOTICE}}<p class="note good" role="status" data-testid="notice">{{MESSAGE}}</p>{{/LINKS_NOTICE}}
      <p class="muted">[[Links to your account that were mailed and still work. Revoke any that you did not ask for.]]</p>
      {{#LINKS}}
      <ul class="rows" data-testid="links">
        {{#LINK}}
        <li data-testid="link">
          <div class="grow">{{WHAT}}
            <p class="muted">[[made]] <time datetime="{{MADE}}">{{MADE_TEXT}}</time>, [[ends]] <time datetime="{{ENDS}}">{{ENDS_TEXT}}</time></p>
          </div>
          <form method="post" action="/user/settings/profile/links/{{KIND}}/end">
            <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
            <button aria-label="[[Revoke the link]]: {{WHAT}}" data-testid="link-end">[[Revoke the link]]</button>
          </form>
        </li>
        {{/LINK}}
      </ul>
      {{/LINKS}}
      {{#NO_LINK}}<p data-testid="no-link">[[There are none.]]</p>{{/NO_LINK}}
    </section>

    <section class="card pad" id="sessions" aria-labelledby="sessions-title">
      <h2 id="sessions-title">[[Devices]]</h2>
      {{#SESSIONS_NOTICE}}<p class="note good" role="status" data-testid="notice">{{MESSAGE}}</p>{{/SESSIONS_NOTICE}}
      <p class="muted">[[Devices you are signed in on.]]</p>
      <ul class="rows" data-testid="sessions">
        {{#SESSION}}
        <li data-testid="session">
          <div class="grow">
            <strong>{{BROWSER}}</strong>{{#THIS_ONE}} <span class="tag own" data-testid="this-session">[[This device]]</span>{{/THIS_ONE}}
            <p class="muted">{{ADDRESS}}, [[since]] <time datetime="{{SINCE}}">{{SINCE_TEXT}}</time>, [[last seen]] <time datetime="{{LAST_SEEN}}">{{LAST_SEEN_TEXT}}</time></p>
          </div>
          <form method="post" action="/user/settings/profile/sessions/{{SESSION_ID}}/end">
            <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
            <button aria-label="[[Sign out]]: {{BROWSER}}" data-testid="session-end">[[Sign out]]</button>
          </form>
        </li>
        {{/SESSION}}
      </ul>
      <form class="stack" method="post" action="/user/settings/profile/sessions/end">
        <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
        <p class="muted">[[Lost a device, or left a browser open somewhere? Sign out on all of them, this one too.]]</p>
        <p class="row"><button class="danger" data-testid="sessions-end">[[Sign out everywhere]]</button></p>
      </form>
    </section>

    <section class="card pad" id="events" aria-labelledby="events-title">
      <h2 id="events-title">[[Recent activity]]</h2>
      <ul class="rows" data-testid="events">
        {{#EVENT}}
        <li data-testid="event">
          <div class="grow">{{WHAT}}{{#EVENT_ABOUT}} · <strong dir="auto">{{TEXT}}</strong>{{/EVENT_ABOUT}}
            <p class="muted"><time datetime="{{WHEN}}">{{WHEN_TEXT}}</time>{{#EVENT_BROWSER}}, {{TEXT}}{{/EVENT_BROWSER}}{{#EVENT_ADDRESS}}, {{TEXT}}{{/EVENT_ADDRESS}}</p>
          </div>
        </li>
        {{/EVENT}}
      </ul>
      <p class="muted">[[Don’t recognize something? Change your password, remove factors that aren’t yours, then sign out everywhere.]]</p>
    </section>

    <section class="card pad danger-zone" id="delete" aria-labelledby="delete-title">
      <h2 id="delete-title">[[Delete my account]]</h2>
      <p>[[Your providers, their keys, your picture and everything else stored for you are deleted at once and for good.]]</p>
      <form class="stack" method="post" action="/user/settings/profile/delete">
        <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
        <div class="field">
          <label for="delete-email">[[Your e-mail address, to confirm]]</label>
          <input id="delete-email" name="ConfirmEmail" type="email" value="{{DELETE_EMAIL_VALUE}}" required
                 autocomplete="off" autocapitalize="off" spellcheck="false"
                 {{#DELETE_EMAIL_ERROR}}aria-invalid="true" autofocus{{/DELETE_EMAIL_ERROR}} aria-describedby="delete-email-error"
                 data-testid="delete-email">
          <p class="error" id="delete-email-error" data-testid="delete-email-error">{{#DELETE_EMAIL_ERROR}}{{MESSAGE}}{{/DELETE_EMAIL_ERROR}}</p>
        </div>
        {{>proof delete}}
        <p class="row"><button class="danger" data-testid="delete-submit">[[Delete my account]]</button></p>
      </form>
    </section>
  </div>
</div>
