{{%AUTOESCAPE context="HTML"}}
<!doctype html>
<html lang="{{LANGUAGE}}">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <meta name="supported-color-schemes" content="light dark">
  <title>[[Your address has been changed]]</title>
</head>
<body style="margin:0;padding:24px;font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:16px;line-height:1.5">
<div style="max-width:560px;margin:0 auto">
  <p style="margin:0 0 16px">[[Hello {{DISPLAY_NAME}},]]</p>
  <p style="margin:0 0 16px">[[The e-mail of your usershell account ({{HOST}}) has been changed. From now on you sign in with {{NEW_EMAIL}}, and no longer with the address that this message was sent to.]]</p>
  <p style="margin:0 0 16px">[[If this was you, there is nothing left to do.]]</p>
  <p style="margin:0 0 16px">[[If it was not you, someone else is in your account. Tell your administrator at once.]]</p>
</div>
</body>
</html>
