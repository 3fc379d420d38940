{{%AUTOESCAPE context="HTML"}}
<input type="hidden" name="__RequestVerificationToken" value="{{ANTIFORGERY}}">
<input type="hidden" name="user" value="{{USER_ID}}">
<input type="hidden" name="signIn" value="{{SIGN_IN_ID}}">
<input type="hidden" name="returnUrl" value="{{RETURN_URL}}">
{{#REMEMBERED}}<input type="hidden" name="rememberMe" value="true">{{/REMEMBERED}}
