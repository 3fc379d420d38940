[[Hello {{DISPLAY_NAME}},]]

[[An access token was made for your usershell account ({{HOST}}). Its name is “{{TOKEN_NAME}}”. With it a tool can use your providers.]]

[[If this was you, there is nothing left to do.]]

[[If it was not you, someone else knows your password. Sign in, revoke the token and change your password at once.]]
