[[Hello {{DISPLAY_NAME}},]]

[[You have an account on usershell ({{HOST}}). You sign in with the address that this message was sent to.]]

[[To choose your password, open this link:]]

{{LINK}}

[[The link works once, until {{UNTIL}}. After that, ask the person who invited you.]]

[[If you did not expect this, please ignore this message.]]
