{{%AUTOESCAPE context="HTML"}}
<fieldset hidden data-creates data-challenge="{{CREATE_CHALLENGE}}" data-rp="{{RP_ID}}" data-user="{{USER_HANDLE}}"
          data-email="{{CURRENT_EMAIL}}" data-name="{{DISPLAY_NAME}}" data-own="{{ALLOWED}}">
  <input type="hidden" name="NewClientData" value="{{NewClientData}}">
  <input type="hidden" name="NewAuthenticatorData" value="{{NewAuthenticatorData}}">
  <input type="hidden" name="NewPublicKey" value="{{NewPublicKey}}">
  <input type="hidden" name="NewAlgorithm" value="{{NewAlgorithm}}">
  <input type="hidden" name="NewChallenge" value="{{NewChallenge}}">
</fieldset>
