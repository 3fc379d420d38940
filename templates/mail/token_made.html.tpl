{{%AUTOESCAPE context="HTML"}}
<!doctype html>
<html lang="{{LANGUAGE}}">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <meta name="supported-color-schemes" content="light dark">
  <title>[[An access token was made]]</title>
</head>
<body style="margin:0;padding:24px;font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:16px;line-height:1.5">
<div style="max-width:560px;margin:0 auto">
  <p style="margin:0 0 16px">[[Hello {{DISPLAY_NAME}},]]</p>
  <p style="margin:0 0 16px">[[An access token was made for your usershell account ({{HOST}}). Its name is “{{TOKEN_NAME}}”. With it a tool can use your providers.]]</p>
  <p style="margin:0 0 16px">[[If this was you, there is nothing left to do.]]</p>
  <p style="margin:0 0 16px">[[If it was not you, someone else knows your password. Sign in, revoke the token and change your password at once.]]</p>
</div>
</body>
</html>
