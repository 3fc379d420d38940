[[Hello,]]

[[We received a request to reset the password of your usershell account ({{HOST}}).]]

[[To choose one, open this link:]]

{{LINK}}

[[The link works once, until {{UNTIL}}.]]

[[If this was not you, please ignore this message. Your password stays as it is.]]
