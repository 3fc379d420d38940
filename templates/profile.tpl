{{%AUTOESCAPE context="HTML"}}
<div class="settings page-profile">
  <nav class="settings-nav" aria-label="[[Settings]]">
    <ul>
      <li><a href="/user/settings/profile" aria-current="page">[[Profile]]</a>
        <ul>
          <li><a href="#name">[[Name and picture]]</a></li>
          <li><a href="#email">[[E-mail]]</a></li>
          <li><a href="#data">[[Your data]]</a></li>
        </ul>
      </li>
      <li><a href="/user/settings/security" data-testid="to-security">[[Security]]</a></li>
      {{#ACCESS}}<li><a href="/user/settings/access">[[Access]]</a></li>{{/ACCESS}}
    </ul>
  </nav>
  <div class="sections">
    <h1>[[Profile]]</h1>

    <section class="card pad" id="name" aria-labelledby="name-title">
      <h2 id="name-title">[[Name and picture]]</h2>
      {{#NAME_NOTICE}}<p class="note good" role="status" data-testid="notice">{{MESSAGE}}</p>{{/NAME_NOTICE}}
      <div class="portrait">
        <div class="picture">
          <form id="avatar-form" method="post" action="/user/settings/profile/avatar" enctype="multipart/form-data">
            <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
            <div class="change">
              <img class="avatar" src="/user/settings/profile/avatar?v={{AVATAR_VERSION}}" alt="[[Your picture]]" width="96" height="96" data-testid="avatar">
              <label class="button" for="avatar">[[Change picture]]</label>
              <input id="avatar" name="Avatar" type="file" accept="{{AVATAR_TYPE_WORDS}}" data-max-bytes="{{MAX_AVATAR_BYTES}}" required data-testid="avatar-file"
                     {{#AVATAR_ERROR}}aria-invalid="true"{{/AVATAR_ERROR}} aria-describedby="avatar-error avatar-hint">
            </div>
          </form>
          <p class="hint" id="avatar-hint">[[PNG or JPEG]]<noscript>, [[at most {{AVATAR_LIMIT}}]]</noscript></p>
          {{#AVATAR_SAVED}}
          <form method="post" action="/user/settings/profile/avatar/remove" data-asks="[[Remove picture]]" data-warns="[[The picture is deleted. This can’t be undone.]]">
            <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
            <button class="quiet" data-testid="avatar-remove">[[Remove picture]]</button>
          </form>
          {{/AVATAR_SAVED}}
        </div>
        <form class="stack" method="post" action="/user/settings/profile">
          <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
          <div class="field">
            <label for="display-name">[[Display name]]</label>
            <input id="display-name" name="DisplayName" value="{{DISPLAY_NAME_VALUE}}" required dir="auto" data-draft="name" autocomplete="name"
                   {{#DISPLAY_NAME_ERROR}}aria-invalid="true" aria-describedby="display-name-error" autofocus{{/DISPLAY_NAME_ERROR}}
                   data-testid="profile-display-name">
            {{#DISPLAY_NAME_ERROR}}<p class="error" id="display-name-error" data-testid="display-name-error">{{MESSAGE}}</p>{{/DISPLAY_NAME_ERROR}}
          </div>
          <p class="row"><button class="primary" data-testid="profile-name-submit">[[Save name]]</button></p>
        </form>
      </div>
      <p class="error" id="avatar-error" role="alert" data-testid="avatar-error">{{#AVATAR_ERROR}}{{MESSAGE}}{{/AVATAR_ERROR}}</p>
      <div class="stack chosen">
        <div class="crop" id="crop" data-testid="crop" hidden>
          <canvas id="crop-view" width="1" height="1" aria-hidden="true" data-testid="crop-view"></canvas>
          <div class="stack grow">
            <p class="hint">[[This is how it will look. Drag it, or use the sliders.]]</p>
            <label>[[Zoom]] <input id="crop-zoom" type="range" data-testid="crop-zoom"></label>
            <label>[[Left to right]] <input id="crop-across" type="range" data-testid="crop-across"></label>
            <label>[[Top to bottom]] <input id="crop-down" type="range" data-testid="crop-down"></label>
          </div>
        </div>
        <p class="row">
          <button class="primary" form="avatar-form" data-testid="avatar-submit">[[Save picture]]</button>
          <button type="reset" form="avatar-form" data-testid="avatar-cancel">[[Cancel]]</button>
        </p>
      </div>
    </section>

    <section class="card pad" id="email" aria-labelledby="email-title">
      <h2 id="email-title">[[E-mail]]</h2>
      <p>[[You sign in with <strong data-testid="current-email">{{CURRENT_EMAIL}}</strong>.]]</p>
      {{#PENDING}}<p class="note" data-testid="pending-email">[[Check the mail of <strong>{{PENDING_EMAIL}}</strong> and open the link. Until then you sign in with the old address.]]</p>{{/PENDING}}
      <p class="row"><a class="button" href="/user/settings/security#email">[[Change e-mail]]</a></p>
    </section>

    <section class="card pad" id="data" aria-labelledby="data-title">
      <h2 id="data-title">[[Your data]]</h2>
      <p>[[Export your providers and models, or import them. The file never contains keys; enter them again after importing.]]</p>
      <p class="row"><a class="button" href="/user/settings/profile/export" download data-testid="export">[[Export]]</a></p>
      <div class="field">
        <label for="import-file">[[Import a file]]</label>
        <input id="import-file" type="file" aria-describedby="import-result" data-max-bytes="{{MAX_LARGE_JSON_BODY}}" data-testid="import-file">
      </div>
      <p class="row"><button type="button" id="import" data-testid="import" disabled>[[Import]]</button></p>
      <p id="import-result" role="status" data-testid="import-result"></p>
    </section>
  </div>
</div>
