[[Hello,]]

[[someone, most likely you, wants to sign in to {{SERVICE}} with the address {{NEW_EMAIL}}.]]

[[To confirm it, open this link in a browser in which you are signed in:]]

{{LINK}}

[[The link works once and for 24 hours. Until then the old address stays in use.]]

[[If this was not you, please ignore this message. Without the link nothing changes.]]
