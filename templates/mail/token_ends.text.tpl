[[Hello {{DISPLAY_NAME}},]]

[[An access token of your usershell account ({{HOST}}) ends within 7 days. Its name is “{{TOKEN_NAME}}”. After that the tools that use it are refused.]]

[[To go on, choose a later end on the page “Access”. If you no longer need the token, there is nothing to do.]]
