{{%AUTOESCAPE context="HTML"}}
<div class="column page-profile">
  <h1>[[Profile]]</h1>

  <section class="card pad" aria-labelledby="name-title">
    <h2 id="name-title">[[Name]]</h2>
    <form class="stack" method="post" action="/user/settings/profile">
      <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
      <div class="field">
        <label for="display-name">[[Display name]]</label>
        <input id="display-name" name="DisplayName" value="{{DISPLAY_NAME_VALUE}}" required data-draft="name" autocomplete="name"
               {{#DISPLAY_NAME_ERROR}}aria-invalid="true" aria-describedby="display-name-error" autofocus{{/DISPLAY_NAME_ERROR}}
               data-testid="profile-display-name">
        {{#DISPLAY_NAME_ERROR}}<p class="error" id="display-name-error" data-testid="display-name-error">{{MESSAGE}}</p>{{/DISPLAY_NAME_ERROR}}
      </div>
      <p class="row"><button class="primary" data-testid="profile-name-submit">[[Save name]]</button></p>
    </form>
  </section>

  <section class="card pad" aria-labelledby="picture-title">
    <h2 id="picture-title">[[Picture]]</h2>
    <div class="picture">
      <img class="avatar" src="/user/settings/profile/avatar?v={{AVATAR_VERSION}}" alt="[[Your picture]]" width="96" height="96" data-testid="avatar">
      <div class="stack grow">
        <form id="avatar-form" method="post" action="/user/settings/profile/avatar" enctype="multipart/form-data">
          <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
          <div class="field">
            <label for="avatar">[[Choose a picture]]</label>
            <input id="avatar" name="Avatar" type="file" accept="{{AVATAR_TYPE_WORDS}}" data-max-bytes="{{MAX_AVATAR_BYTES}}" required data-testid="avatar-file"
                   {{#AVATAR_ERROR}}aria-invalid="true"{{/AVATAR_ERROR}} aria-describedby="avatar-error avatar-hint">
            <p class="error" id="avatar-error" role="alert" data-testid="avatar-error">{{#AVATAR_ERROR}}{{MESSAGE}}{{/AVATAR_ERROR}}</p>
            <p class="hint" id="avatar-hint">[[PNG or JPEG. Without JavaScript at most {{AVATAR_LIMIT}}.]]</p>
          </div>
          <div class="crop" id="crop" data-testid="crop" hidden>
            <canvas id="crop-view" width="1" height="1" aria-hidden="true" data-testid="crop-view"></canvas>
            <div class="stack grow">
              <p class="hint">[[This is how it will look. Drag it, or use the sliders.]]</p>
              <label>[[Zoom]] <input id="crop-zoom" type="range" data-testid="crop-zoom"></label>
              <label>[[Left to right]] <input id="crop-across" type="range" data-testid="crop-across"></label>
              <label>[[Top to bottom]] <input id="crop-down" type="range" data-testid="crop-down"></label>
            </div>
          </div>
        </form>
        <div class="row">
          <button class="primary" form="avatar-form" data-testid="avatar-submit">[[Save picture]]</button>
          {{#AVATAR_SAVED}}
          <form method="post" action="/user/settings/profile/avatar/remove">
            <input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
            <button data-testid="avatar-remove">[[Remove picture]]</button>
          </form>
          {{/AVATAR_SAVED}}
        </div>
      </div>
    </div>
  </section>

  <section class="card pad" aria-labelledby="email-title">
    <h2 id="email-title">[[E-mail]]</h2>
    <p>[[You sign in with <strong data-testid="current-email">{{CURRENT_EMAIL}}</strong>.]]</p>
    {{#PENDING}}<p class="note" data-testid="pending-email">[[Waiting for <strong>{{PENDING_EMAIL}}</strong>: open the link in the message sent there. Until then nothing changes.]]</p>{{/PENDING}}
    <p class="row"><a class="button" href="/user/settings/security" data-testid="to-security">[[Security]]</a></p>
  </section>

  <section class="card pad" aria-labelledby="data-title">
    <h2 id="data-title">[[Your data]]</h2>
    <p>[[Take your providers and models with you as a file, or bring them from one. Keys are never in it: after an import, enter them again.]]</p>
    <p class="row"><a class="button" href="/user/settings/profile/export" download data-testid="export">[[Export]]</a></p>
    <div class="field">
      <label for="import-file">[[Import a file]]</label>
      <input id="import-file" type="file" aria-describedby="import-result" data-max-bytes="{{MAX_LARGE_JSON_BODY}}" data-testid="import-file">
    </div>
    <p class="row"><button type="button" id="import" data-testid="import" disabled>[[Import]]</button></p>
    <p id="import-result" role="status" data-testid="import-result"></p>
  </section>
</div>
