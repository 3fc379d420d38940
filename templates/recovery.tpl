{{%AUTOESCAPE context="HTML"}}
<section class="door card" data-testid="recovery-page">
  <h1>[[Your recovery codes]]</h1>
  <p>[[Each works once if you lose your phone. Keep them apart from it. They are not shown again.]]</p>
  <pre id="recovery-codes" class="secret" tabindex="0" data-testid="recovery-codes">{{#RECOVERY_CODE}}{{TEXT}}
{{/RECOVERY_CODE}}</pre>
  <div class="row">
    <button type="button" data-copies="recovery-codes" data-testid="copy-codes" hidden>[[Copy]]</button>
    <button type="button" data-prints data-testid="print-codes" hidden>[[Print]]</button>
  </div>
  <a class="button primary wide" href="{{NEXT}}" data-testid="codes-kept">[[I have saved them]]</a>
</section>
