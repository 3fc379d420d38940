{{%AUTOESCAPE context="HTML"}}
<!doctype html>
<html lang="{{LANGUAGE}}">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <meta name="supported-color-schemes" content="light dark">
  <title>[[Choose your password]]</title>
</head>
<body style="margin:0;padding:24px;font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:16px;line-height:1.5">
<div style="max-width:560px;margin:0 auto">
  <p style="margin:0 0 16px">[[Hello {{DISPLAY_NAME}},]]</p>
  <p style="margin:0 0 16px">[[You have an account on usershell ({{HOST}}). You sign in with the address that this message was sent to.]]</p>
  <p style="margin:0 0 16px">[[To choose your password, open this link:]]</p>
  <p style="margin:0 0 16px"><a href="{{LINK}}" style="display:inline-block;padding:10px 18px;border-radius:8px;background-color:#4453d6;color:#ffffff;text-decoration:none;font-weight:600">[[Choose a password]]</a></p>
  <p style="margin:0 0 16px;font-size:14px">[[If the button does nothing, copy this address into your browser:]]<br><a href="{{LINK}}" style="word-break:break-all">{{LINK}}</a></p>
  <p style="margin:0 0 16px">[[The link works once, until {{UNTIL}}. After that, ask the person who invited you.]]</p>
  <p style="margin:0 0 16px">[[If you did not expect this, please ignore this message.]]</p>
</div>
</body>
</html>
