[[Hello {{DISPLAY_NAME}},]]

[[an account has been made for you at {{SERVICE}}. You sign in with the address that this message was sent to.]]

[[To choose your password, open this link:]]

{{LINK}}

[[The link works once. If it has expired, ask the person who invited you for a new one.]]

[[If you did not expect this, please ignore this message.]]
