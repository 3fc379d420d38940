{{%AUTOESCAPE context="HTML"}}
<div class="field">
  <label for="NAME-password">[[Current password]]</label>
  <input id="NAME-password" name="CurrentPassword" type="password" required autocomplete="current-password"
         {{#NAME_password_error}}aria-invalid="true" autofocus{{/NAME_password_error}} aria-describedby="NAME-password-error" data-testid="NAME-password">
  <p class="error" id="NAME-password-error" data-testid="NAME-password-error">{{#NAME_password_error}}{{MESSAGE}}{{/NAME_password_error}}</p>
</div>
{{#SECOND_FACTOR}}
<div class="field">
  <label for="NAME-code">{{#CODE}}[[Code from your app, or a recovery code]]{{/CODE}}{{#RECOVERY}}[[Recovery code]]{{/RECOVERY}}</label>
  <input id="NAME-code" name="Code" required autocomplete="one-time-code" autocapitalize="off" spellcheck="false" class="mono"
         {{#NAME_code_error}}aria-invalid="true" autofocus{{/NAME_code_error}} aria-describedby="NAME-code-error" data-testid="NAME-code">
  <p class="error" id="NAME-code-error" data-testid="NAME-code-error">{{#NAME_code_error}}{{MESSAGE}}{{/NAME_code_error}}</p>
</div>
{{/SECOND_FACTOR}}
{{#PASSKEYS}}<button type="button" data-passkey data-challenge="{{NAME_challenge}}" data-allowed="{{ALLOWED}}" data-testid="NAME-passkey" hidden>[[Use a passkey instead]]</button>{{/PASSKEYS}}
