[[Hello {{DISPLAY_NAME}},]]

[[The e-mail of your usershell account ({{HOST}}) has been changed. From now on you sign in with {{NEW_EMAIL}}, and no longer with the address that this message was sent to.]]

[[If this was you, there is nothing left to do.]]

[[If it was not you, someone else is in your account. Tell your administrator at once.]]
