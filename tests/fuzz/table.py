"""The fuzz targets: a row for each file of tests/fuzz/targets/, which says what the target holds."""

# Name: bytes of an input at most.
TARGETS = {
    "address": 512, "chat_answer": 512, "content_coding": 512, "envelope": 1024, "error_body": 512, "event_stream": 512, "fastcgi": 1024,
    "fields": 160, "form": 512, "image": 2048, "json_body": 1024, "model_list": 1024,
    "multipart": 1024, "provider_head": 512, "relay_answer": 512, "relay_body": 512, "request": 512,
}  # fmt: skip
