"""Streams one answer of Gemini or Ollama with the client of each, as an application would.

Arguments: `gemini` or `ollama`, and a base URL. Standard output: what the client read, as JSON: the bytes on the wire
by their digest, and the chunks. Imports the clients; nothing of this project.
"""

import hashlib
import json
import sys

import httpx

TOOL = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WIRE = hashlib.sha256()


class Listening(httpx.HTTPTransport):
    """A transport that reads along, below all that a client makes of the bytes."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        stream = response.stream

        class Along(httpx.SyncByteStream):
            def __iter__(self):
                for piece in stream:
                    WIRE.update(piece)
                    yield piece

            def close(self) -> None:
                stream.close()

        response.stream = Along()
        return response


def gemini(url: str) -> list[object]:
    from google import genai
    from google.genai import types

    http = types.HttpOptions(base_url=url, client_args={"transport": Listening()})
    client = genai.Client(api_key="not-a-key-7712", vertexai=False, http_options=http)
    declared = types.FunctionDeclaration(name="get_weather", parameters_json_schema=TOOL)
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[declared])],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    chunks = client.models.generate_content_stream(
        model="gemini-2.5-flash", contents="How is the weather?", config=config
    )
    return [chunk.model_dump(mode="json", exclude={"sdk_http_response"}, exclude_none=True) for chunk in chunks]


def ollama(url: str) -> list[object]:
    import ollama

    client = ollama.Client(host=url, transport=Listening())
    tool = {"type": "function", "function": {"name": "get_weather", "description": "", "parameters": TOOL}}
    said = [{"role": "user", "content": "How is the weather?"}]
    return [
        chunk.model_dump(mode="json", exclude_none=True)
        for chunk in client.chat(model="llama3", messages=said, tools=[tool], stream=True)
    ]


if __name__ == "__main__":
    chunks = {"gemini": gemini, "ollama": ollama}[sys.argv[1]](sys.argv[2])
    print(json.dumps({"wire": WIRE.hexdigest(), "chunks": chunks}))
