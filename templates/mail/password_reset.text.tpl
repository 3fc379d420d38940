[[Hello,]]

[[someone, most likely you, asked for a new password for the account with this address at {{SERVICE}}.]]

[[To choose one, open this link:]]

{{LINK}}

[[The link works once and for one hour.]]

[[If this was not you, please ignore this message. Your password stays as it is.]]
