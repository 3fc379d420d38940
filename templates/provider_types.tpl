{{%AUTOESCAPE context="HTML"}}
{{!The types of the dialog for a provider, rendered once at the start.}}
{{#TYPE}}
        <option value="{{VALUE}}" data-base-url="{{BASE_URL}}" data-key-url="{{KEY_URL}}" data-owned="{{#BASE_URL_OWNED}}yes{{/BASE_URL_OWNED}}" data-search="{{#SEARCH}}yes{{/SEARCH}}" data-lists="{{#LISTS_MODELS}}yes{{/LISTS_MODELS}}" data-streams="{{#STREAMS}}yes{{/STREAMS}}" data-no-key="{{NO_KEY}}" data-models="{{DEFAULT_MODELS}}">{{LABEL}}</option>
{{/TYPE}}
