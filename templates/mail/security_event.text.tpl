[[Hello {{DISPLAY_NAME}},]]

[[In your usershell account ({{HOST}}) this has happened:]]

{{WHAT}}.

[[Your page “Security” shows what it was about, below “Recent activity”. Your tools follow a change of a provider: what they ask goes there.]]

[[If this was you, there is nothing left to do.]]

[[If it was not you, another person uses your session. Sign in, change your password at once, and look at your providers and your second factors.]]
