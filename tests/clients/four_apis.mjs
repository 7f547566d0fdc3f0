// Streams one answer of Gemini, Bedrock, Cohere or Ollama with a client for Node, as an application would.
//
// Arguments: the client, its base URL, and an HTTP proxy if it is to come by one. Standard output: what the client read,
// as JSON: the bytes on the wire by their digest, and the events. The clients are those of the folder
// `TOOLREEL_CLIENTS_NODE`. None of them reads HTTPS_PROXY, so the proxy is given to the `fetch` beneath all of them.

import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.TOOLREEL_CLIENTS_NODE, "/"));
const [client, url, proxy] = process.argv.slice(2);

const SCHEMA = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const ASKED = "How is the weather?";
const MESSAGES = [{ role: "user", content: ASKED }];

// Reads along, below all that a client makes of the bytes.
const wire = createHash("sha256");
const undici = require("undici");
const dispatcher = proxy ? new undici.ProxyAgent(proxy) : undefined;
globalThis.fetch = async (target, init) => {
  const response = await undici.fetch(target, { ...init, dispatcher });
  const along = new TransformStream({
    transform(piece, controller) {
      wire.update(piece);
      controller.enqueue(piece);
    },
  });
  const { status, headers } = response;
  return new Response(response.body.pipeThrough(along), { status, headers: [...headers] });
};

async function genai() {
  const { GoogleGenAI } = require("@google/genai");
  const ai = new GoogleGenAI({ apiKey: "not-a-key-7712", httpOptions: { baseUrl: url } });
  const functionDeclarations = [{ name: "get_weather", parametersJsonSchema: SCHEMA }];
  const config = { tools: [{ functionDeclarations }] };
  const chunks = await ai.models.generateContentStream({ model: "gemini-2.5-flash", contents: ASKED, config });
  const found = [];
  for await (const { candidates, responseId } of chunks) found.push({ candidates, responseId });
  return found;
}

async function ollama() {
  const { Ollama } = require("ollama");
  const tools = [{ type: "function", function: { name: "get_weather", description: "", parameters: SCHEMA } }];
  const found = [];
  const asked = { model: "llama3", messages: MESSAGES, tools, stream: true };
  for await (const chunk of await new Ollama({ host: url }).chat(asked)) found.push(chunk);
  return found;
}

const MODELS = {
  "ai-google": () => require("@ai-sdk/google").createGoogleGenerativeAI({ apiKey: "x", baseURL: `${url}/v1beta` }),
  "ai-cohere": () => require("@ai-sdk/cohere").createCohere({ apiKey: "x", baseURL: `${url}/v2` }),
  "ai-bedrock": () =>
    require("@ai-sdk/amazon-bedrock").createAmazonBedrock({
      region: "us-east-1",
      accessKeyId: "AKIAIOSFODNN7EXAMPLE",
      secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      baseURL: url,
    }),
};
const NAMES = {
  "ai-google": "gemini-2.5-flash",
  "ai-cohere": "command-a-03-2025",
  "ai-bedrock": "us.amazon.nova-lite-v1:0",
};

// What the AI SDK read of the stream; what it makes up itself (ids, times, its own request) is left out.
async function sdk() {
  const { jsonSchema, streamText, tool } = require("ai");
  const tools = { get_weather: tool({ description: "", inputSchema: jsonSchema(SCHEMA) }) };
  const model = MODELS[client]()(NAMES[client]);
  const result = streamText({ model, messages: MESSAGES, tools, maxRetries: 0, onError: () => {} });
  const found = [];
  for await (const { type, text, delta, toolName, input, finishReason, error } of result.fullStream) {
    found.push({ type, text, delta, toolName, input, finishReason, error: error && String(error) });
  }
  return found;
}

const CLIENTS = { "google-genai": genai, ollama };
console.log(JSON.stringify({ events: await (CLIENTS[client] ?? sdk)(), wire: wire.digest("hex") }));
