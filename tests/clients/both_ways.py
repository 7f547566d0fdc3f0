"""Makes one streamed call with one client, as an application would, with nothing said of any proxy.

Arguments: the client and its base URL. Standard output: the arguments of the call that it read, as JSON. All else comes
from the environment, as `toolreel env` sets it. Imports the clients; nothing of this project.
"""

import json
import sys
import warnings
from collections.abc import Callable

# Importing all of them costs seconds, so each is imported where it is used.

MESSAGES = [{"role": "user", "content": "How is the weather?"}]
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOL = {"type": "function", "function": {"name": "get_weather", "parameters": PARAMETERS}}


def with_openai(url: str) -> str:
    import openai

    client = openai.OpenAI(api_key="x", base_url=f"{url}/v1", max_retries=0)
    stream = client.chat.completions.create(model="gpt-4o-mini", messages=MESSAGES, tools=[TOOL], stream=True)
    calls = [call for chunk in stream for choice in chunk.choices for call in choice.delta.tool_calls or ()]
    return "".join(call.function.arguments or "" for call in calls)


def with_openai_responses(url: str) -> str:
    import openai

    client = openai.OpenAI(api_key="x", base_url=f"{url}/v1", max_retries=0)
    tool = {"type": "function", "name": "get_weather", "parameters": PARAMETERS, "strict": False}
    with client.responses.stream(model="gpt-5-mini", input=MESSAGES, tools=[tool]) as stream:
        response = stream.get_final_response()
    return next(item.arguments for item in response.output if item.type == "function_call")


def with_openai_retrieval(url: str) -> str:
    import openai

    client = openai.OpenAI(api_key="x", base_url=f"{url}/v1", max_retries=0)
    events = client.responses.retrieve("resp_0123456789abcdef", stream=True, include=["reasoning.encrypted_content"])
    return "".join(event.delta for event in events if event.type == "response.function_call_arguments.delta")


def with_mistralai(url: str) -> str:
    import mistralai.client

    client = mistralai.client.Mistral(api_key="x", server_url=url)
    stream = client.chat.stream(model="mistral-small-latest", messages=MESSAGES, tools=[TOOL])
    calls = [call for event in stream for choice in event.data.choices for call in choice.delta.tool_calls or ()]
    return "".join(str(call.function.arguments or "") for call in calls)


def with_anthropic(url: str) -> str:
    import anthropic

    client = anthropic.Anthropic(api_key="x", base_url=url, max_retries=0)
    tool = {"name": "get_weather", "input_schema": PARAMETERS}
    with client.messages.stream(model="claude-sonnet-4-5", max_tokens=64, messages=MESSAGES, tools=[tool]) as stream:
        message = stream.get_final_message()
    return json.dumps(next(block.input for block in message.content if block.type == "tool_use"))


def with_cohere(url: str) -> str:
    import cohere

    client = cohere.ClientV2(api_key="x", base_url=url)
    events = client.chat_stream(model="command-a-03-2025", messages=MESSAGES, tools=[TOOL])
    calls = [event.delta.message.tool_calls for event in events if event.type in ("tool-call-start", "tool-call-delta")]
    return "".join(call.function.arguments or "" for call in calls)


def with_gemini(url: str) -> str:
    from google import genai
    from google.genai import types

    client = genai.Client(api_key="x", vertexai=False, http_options=types.HttpOptions(base_url=url))
    declared = types.FunctionDeclaration(name="get_weather", parameters_json_schema=PARAMETERS)
    calling = types.AutomaticFunctionCallingConfig(disable=True)
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[declared])], automatic_function_calling=calling
    )
    stream = client.models.generate_content_stream(model="gemini-2.5-flash", contents="How?", config=config)
    calls = [call.args for chunk in stream for call in chunk.function_calls or ()]
    return json.dumps(calls[0])


def with_ollama(url: str) -> str:
    import ollama

    stream = ollama.Client(host=url).chat(model="llama3", messages=MESSAGES, tools=[TOOL], stream=True)
    calls = [call.function.arguments for chunk in stream for call in chunk.message.tool_calls or ()]
    return json.dumps(calls[0])


def with_requests(url: str) -> str:
    import requests

    body = {"model": "gpt-4o-mini", "messages": MESSAGES, "tools": [TOOL], "stream": True}
    with requests.post(f"{url}/v1/chat/completions", json=body, stream=True, timeout=60) as response:
        response.raise_for_status()
        lines = [line for line in response.iter_lines() if line.startswith(b"data: {")]
    deltas = [json.loads(line[6:])["choices"][0]["delta"] for line in lines]
    return "".join(call["function"]["arguments"] for delta in deltas for call in delta.get("tool_calls") or ())


CLIENTS: dict[str, Callable[[str], str]] = {
    "openai": with_openai,
    "openai-responses": with_openai_responses,
    "openai-retrieval": with_openai_retrieval,
    "mistralai": with_mistralai,
    "anthropic": with_anthropic,
    "cohere": with_cohere,
    "gemini": with_gemini,
    "ollama": with_ollama,
    "requests": with_requests,
}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(CLIENTS[sys.argv[1]](sys.argv[2]))
