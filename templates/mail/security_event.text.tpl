[[Hello {{DISPLAY_NAME}},]]

[[In your usershell account ({{HOST}}) this has happened:]]

{{WHAT}}.

[[“Recent activity” on your page “Security” says more. If a provider’s address changed, your tools now send their requests there.]]

[[If this was you, there is nothing left to do.]]

[[If it was not you, someone else is using your session. Sign in, change your password at once, and check your providers and second factors.]]
