{{%AUTOESCAPE context="HTML"}}
<section class="door card" data-testid="error-page">
  <p class="status-number">{{STATUS}}</p>
  <h1>{{HEADLINE}}</h1>
  {{#SENTENCE}}<p>{{MESSAGE}}</p>{{/SENTENCE}}
  <p class="row">
    <a class="button" href="/">[[Start page]]</a>
  </p>
  <p class="hint">[[Request]] <code>{{REQUEST_ID}}</code></p>
</section>
