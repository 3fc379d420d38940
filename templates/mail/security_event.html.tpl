{{%AUTOESCAPE context="HTML"}}
<!doctype html>
<html lang="{{LANGUAGE}}">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <meta name="supported-color-schemes" content="light dark">
  <title>[[A change to your account]]</title>
</head>
<body style="margin:0;padding:24px;font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:16px;line-height:1.5">
<div style="max-width:560px;margin:0 auto">
  <p style="margin:0 0 16px">[[Hello {{DISPLAY_NAME}},]]</p>
  <p style="margin:0 0 16px">[[In your usershell account ({{HOST}}) this has happened:]]</p>
  <p style="margin:0 0 16px">{{WHAT}}.</p>
  <p style="margin:0 0 16px">[[“Recent activity” on your page “Security” says more. If a provider’s address changed, your tools now send their requests there.]]</p>
  <p style="margin:0 0 16px">[[If this was you, there is nothing left to do.]]</p>
  <p style="margin:0 0 16px">[[If it was not you, someone else is using your session. Sign in, change your password at once, and check your providers and second factors.]]</p>
</div>
</body>
</html>
