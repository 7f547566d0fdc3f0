// What `drive.py` is for Python, for the official Node client of OpenAI: the same lines in, the same lines out.
//
// The client is that of the folder `TOOLREEL_CLIENTS_NODE`, which has it in its `node_modules`. Beneath it `fetch` puts
// the recorded request body and path in place and notes the response bytes as they arrive.

import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";

const require = createRequire(join(process.env.TOOLREEL_CLIENTS_NODE, "/"));
const { OpenAI } = require("openai");

// How many calls are under way at once: enough that streams overlap in the proxy.
const PARALLEL = 4;

const FALLBACKS = {
  "openai.chat": { messages: [{ role: "user", content: "Hello" }] },
  "openai.responses": { input: "Hello" },
};
const EVENTS = {
  "openai.chat": (client, request) => client.chat.completions.create({ ...request, stream: true }),
  "openai.responses": (client, request) => client.responses.create({ ...request, stream: true }),
};
const HELPERS = { "openai.responses": (client, request) => client.responses.stream(request) };

// Sends what was recorded, to where it is served, and notes what comes back.
class Wire {
  constructor(call) {
    this.call = call;
    this.pieces = [];
    this.status = 0;
    this.head = [];
    this.typed = true;
  }

  async fetch(_url, init) {
    const { url, path, request, headers: own, drain } = this.call;
    this.typed = request === null || isDeepStrictEqual(JSON.parse(init.body), JSON.parse(request));
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(own)) headers.set(name, value);
    const sent = { method: init.method, headers, body: request ?? init.body, signal: drain ? undefined : init.signal };
    const response = await fetch(url + path, sent);
    this.status = response.status;
    this.head = [...response.headers];
    this.reader = response.body.getReader();
    const noted = new ReadableStream({
      pull: async (client) => ((await this.read()) ? client.enqueue(this.pieces.at(-1)) : client.close()),
      cancel: () => (drain ? undefined : this.reader.cancel()),
    });
    return new Response(noted, { status: response.status, headers: response.headers });
  }

  async read() {
    const { done, value } = await this.reader.read();
    if (!done) this.pieces.push(value);
    return !done;
  }

  // What the client left behind.
  async rest() {
    if (this.call.drain && this.reader) while (await this.read());
  }
}

async function drive(call) {
  const wire = new Wire(call);
  const options = { apiKey: "x", baseURL: call.url, maxRetries: 0, fetch: (url, init) => wire.fetch(url, init) };
  const { stream: _, ...request } = { model: call.model, ...FALLBACKS[call.api], ...JSON.parse(call.request ?? "{}") };
  const events = (call.helper ? HELPERS : EVENTS)[call.api];
  const digest = createHash("sha256");
  let count = 0;
  let error = null;
  try {
    for await (const event of await events(new OpenAI(options), request)) {
      digest.update(JSON.stringify(event) + "\n");
      count += 1;
    }
  } catch (failure) {
    error = failure.constructor.name; // what a client makes of a bad stream is part of the result
  }
  await wire.rest();
  const body = Buffer.concat(wire.pieces);
  return {
    name: call.name,
    status: wire.status,
    head: wire.head,
    bytes: body.length,
    sha256: createHash("sha256").update(body).digest("hex"),
    events: count,
    events_sha256: digest.digest("hex"),
    error,
    typed: wire.typed,
  };
}

console.error = console.warn = () => {}; // the client quotes streams that it cannot read
const calls = [];
for await (const line of createInterface({ input: process.stdin })) if (line.trim()) calls.push(JSON.parse(line));
async function work() {
  for (let call = calls.shift(); call; call = calls.shift()) {
    process.stdout.write(JSON.stringify(await drive(call)) + "\n");
  }
}
await Promise.all(Array.from({ length: PARALLEL }, work));
