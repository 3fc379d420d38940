{{%AUTOESCAPE context="HTML"}}
<!doctype html>
<html lang="{{LANGUAGE}}">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <meta name="supported-color-schemes" content="light dark">
  <title>[[An access token ends soon]]</title>
</head>
<body style="margin:0;padding:24px;font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:16px;line-height:1.5">
<div style="max-width:560px;margin:0 auto">
  <p style="margin:0 0 16px">[[Hello {{DISPLAY_NAME}},]]</p>
  <p style="margin:0 0 16px">[[An access token of your usershell account ({{HOST}}) ends within 7 days. Its name is “{{TOKEN_NAME}}”. After that the tools that use it are refused.]]</p>
  <p style="margin:0 0 16px">[[To go on, choose a later end on the page “Access”. If you no longer need the token, there is nothing to do.]]</p>
</div>
</body>
</html>
