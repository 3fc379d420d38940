{{%AUTOESCAPE context="HTML"}}
<ol class="steps">
  <li>[[Scan this picture with your authenticator app.]]
    <svg class="qr" role="img" aria-label="[[Picture for your authenticator app]]" viewBox="0 0 {{QR_SIZE}} {{QR_SIZE}}" data-testid="qr"><path d="{{QR_PATH}}"/></svg>
    <details><summary>[[Can’t scan it?]]</summary><p>[[Type this secret into it:]] <code class="secret" data-testid="app-secret">{{SECRET_TEXT}}</code></p></details>
  </li>
  <li>[[Type the six digits that it shows.]]</li>
</ol>
