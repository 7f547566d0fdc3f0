"""Streams one answer of Bedrock with the SDK of AWS, as an application would, with nothing said of any proxy.

Arguments: the operation, the endpoint, a model. Standard output: what the client read, as JSON: the bytes on the wire
by their digest, and the events. Proxy and certificates come from the environment, as `toolreel env` sets them. Imports
the client; nothing of this project.
"""

import hashlib
import json
import sys

import botocore.session
from botocore.config import Config

TOOL = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
MESSAGES = [{"role": "user", "content": [{"text": "How is the weather?"}]}]
CONVERSE = {
    "messages": MESSAGES,
    "toolConfig": {"tools": [{"toolSpec": {"name": "get_weather", "inputSchema": {"json": TOOL}}}]},
}
CLAUDE = {
    "anthropic_version": "bedrock-2023-05-31",
    "max_tokens": 64,
    "messages": [{"role": "user", "content": "How is the weather?"}],
    "tools": [{"name": "get_weather", "input_schema": TOOL}],
}


def main(operation: str, endpoint: str, model: str) -> None:
    client = botocore.session.get_session().create_client(
        "bedrock-runtime",
        region_name="us-east-1",
        endpoint_url=endpoint,
        aws_access_key_id="AKIAIOSFODNN7EXAMPLE",
        aws_secret_access_key="wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        config=Config(retries={"total_max_attempts": 1}),
    )
    if operation == "converse":
        stream = client.converse_stream(modelId=model, **CONVERSE)["stream"]
    else:
        asked = CLAUDE if "anthropic" in model else {"schemaVersion": "messages-v1", **CONVERSE}
        stream = client.invoke_model_with_response_stream(modelId=model, body=json.dumps(asked))["body"]
    wire = hashlib.sha256()
    read = stream._raw_stream.stream

    def listening(*given: object, **named: object) -> object:
        for piece in read(*given, **named):
            wire.update(piece)
            yield piece

    stream._raw_stream.stream = listening
    stream._event_generator = stream._create_raw_event_generator()
    events, error = [], None
    try:
        events = [json.loads(json.dumps(event, default=lambda raw: raw.decode())) for event in stream]
    except botocore.exceptions.EventStreamError as found:
        error = found.response["Error"]["Code"]
    print(json.dumps({"wire": wire.hexdigest(), "events": events, "error": error}))


if __name__ == "__main__":
    main(*sys.argv[1:])
