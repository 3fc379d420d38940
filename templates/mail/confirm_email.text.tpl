[[Hello,]]

[[We received a request to change the e-mail of a usershell account ({{HOST}}) to {{NEW_EMAIL}}.]]

[[To confirm it, open this link in a browser in which you are signed in:]]

{{LINK}}

[[The link works once, until {{UNTIL}}. Until you open it the old address stays in use.]]

[[If this was not you, please ignore this message. Without the link nothing changes.]]
