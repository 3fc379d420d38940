"""The fuzz targets: how long an input may be, and which sources it is to reach.

A row for each file of tests/fuzz/targets/, which says what the target holds.
"""

# Name: (bytes of an input at most, sources whose covered lines are counted).
TARGETS = {
    "address": (512, ("lib/base/address/", "lib/base/catalogue.cpp")),
    "chat_answer": (512, ("lib/adapters/reading/", "lib/adapters/protocols/")),
    "envelope": (1024, ("lib/crypto/opening/", "lib/crypto/unseal/", "lib/crypto/envelope/", "lib/mail/mail_opener.cpp")),
    "error_body": (512, ("lib/adapters/errors/", "lib/adapters/causes/")),
    "event_stream": (512, ("lib/adapters/reading/event_stream.cpp", "lib/adapters/reading/token_joiner.cpp",
                           "lib/execute/event_frames.cpp")),
    "fastcgi": (1024, ("fcgi/records.cpp", "fcgi/request.cpp")),
    "fields": (160, ("lib/base/text.cpp", "lib/base/rules.cpp", "lib/manage/providers/fields.cpp")),
    "form": (512, ("lib/web/form.cpp", "lib/web/percent.cpp")),
    "image": (2048, ("lib/images/",)),
    "import_file": (1024, ("lib/manage/profile/import.cpp", "lib/manage/providers/fields.cpp")),
    "json_body": (1024, ("lib/web/json_body.cpp", "lib/execute/playground/playground_request.cpp")),
    "key_lines": (512, ("ctl/legacy/key_lines.cpp",)),
    "model_list": (1024, ("lib/adapters/model_list.cpp", "lib/adapters/protocols/", "lib/adapters/reading/json.cpp",
                          "lib/adapters/reading/json_memory.cpp")),
    "multipart": (1024, ("lib/web/multipart.cpp", "lib/web/header_value.cpp")),
    "provider_head": (512, ("lib/net/head_reader.cpp", "lib/adapters/errors/retry_after.cpp")),
    "request": (512, ("lib/web/message.cpp", "lib/web/header_value.cpp", "lib/web/router.cpp", "lib/web/percent.cpp",
                      "lib/manage/conditional.cpp")),
    "ring_file": (1024, ("lib/crypto/ring/ring_text.cpp", "lib/crypto/bytes.cpp", "lib/crypto/ring/public_half.cpp")),
    "settings": (768, ("lib/base/settings/config.cpp", "lib/base/settings/setting_table.cpp")),
    "words": (512, ("lib/auth/browser_words.cpp", "lib/web/language.cpp")),
}
