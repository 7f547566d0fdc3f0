// Runs one adapter in Node: turns in, one a line; what it would execute out, one line a call. The same protocol as
// driver.py. `node driver.cjs NAME FOLDER`: FOLDER holds the node_modules of the clients; NAME is a module beside this
// one, or the path of a module of one's own. Before a client is loaded, the process is shut in: it can reach the loopback
// interface and start no program. What is printed goes nowhere near the calls: those have a pipe of their own.
"use strict";

const fs = require("node:fs");
const net = require("node:net");
const path = require("node:path");
const readline = require("node:readline");
const { createRequire } = require("node:module");
const { Worker } = require("node:worker_threads");
const { shutIn } = require("./guard.cjs");
const { load, NoAdapterError } = require("./starting.cjs");
const { calls, NoCallsError } = require("./returned.cjs");

const MODELS = {
  openai: "gpt-4o-mini",
  mistral: "mistral-small-latest",
  anthropic: "claude-sonnet-4-5",
  "openai-responses": "gpt-4o-mini",
  "bedrock-converse": "anthropic.claude-sonnet-4-5-20250929-v1:0",
  "cohere-v2": "command-a-03-2025",
  gemini: "gemini-2.5-flash",
  ollama: "llama3.2",
};
// Errors that are a bug by their type. Any other one is a refusal: someone meant to throw it.
const BROKEN = [TypeError, ReferenceError, RangeError];

class Task {
  constructor(asked, say) {
    this.baseUrl = asked.base_url;
    this.profile = asked.profile;
    this.tools = asked.tools;
    this.key = "x";
    this.model = MODELS[asked.profile] || "model";
    this.messages = [{ role: "user", content: "Use the tools." }];
    this.say = say;
  }

  schema(name) {
    const found = this.tools[name];
    return found !== null && typeof found === "object" && found.type === "object" ? found : { type: "object" };
  }

  isCustom(name) {
    const found = this.tools[name];
    return found !== null && typeof found === "object" && found.type === "string";
  }

  // As `function` of task.py: the schema as an application writes it. `z` is the client's own zod.
  zod(z, name) {
    return (z.z || z).fromJSONSchema(this.schema(name));
  }

  openaiTools() {
    return Object.keys(this.tools).map((name) => ({
      type: "function",
      function: { name, parameters: this.schema(name) },
    }));
  }

  anthropicTools() {
    return Object.keys(this.tools).map((name) => ({ name, input_schema: this.schema(name) }));
  }

  // As `responses_tools` of turn.py.
  responsesTools() {
    const tools = [];
    const spaces = new Map([["", tools]]);
    for (const name of Object.keys(this.tools)) {
      const dot = name.lastIndexOf(".");
      const [space, own] = [name.slice(0, Math.max(dot, 0)), name.slice(dot + 1)];
      if (!spaces.has(space)) {
        spaces.set(space, []);
        tools.push({ type: "namespace", name: space, description: space, tools: spaces.get(space) });
      }
      spaces
        .get(space)
        .push(
          this.isCustom(name)
            ? { type: "custom", name: own }
            : { type: "function", name: own, parameters: this.schema(name), strict: false },
        );
    }
    return tools;
  }

  handOver(id, name, args) {
    this.say({ call: { id, name, arguments: args === undefined ? null : args } });
    return "recorded";
  }
}

function version(require, names) {
  const found = [];
  for (const name of names) {
    for (const folder of require.resolve.paths(name) || []) {
      const file = path.join(folder, name, "package.json");
      if (fs.existsSync(file)) {
        found.push(JSON.parse(fs.readFileSync(file, "utf8")).version);
        break;
      }
    }
  }
  return found.join("+") || "unversioned";
}

// The pipes of turns and calls: no other part of the process has them.
function pipes() {
  const { TOOLREEL_TURNS: turns, TOOLREEL_CALLS: handed } = process.env;
  delete process.env.TOOLREEL_TURNS;
  delete process.env.TOOLREEL_CALLS;
  const source = new net.Socket({ fd: fs.openSync(turns, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK) });
  return [source, fs.openSync(handed, "w")];
}

// One turn: how it ended, and the type of an error. Its text goes to standard error, which nobody reads without --debug.
async function drive(adapter, task, thrown) {
  thrown.error = null;
  let failure = null;
  try {
    for await (const call of calls(await adapter.run(task))) task.handOver(call.id, call.name, call.arguments);
    failure = thrown.error;
  } catch (error) {
    failure = error;
  }
  if (failure === null) return { end: "returned", error: null };
  if (failure instanceof NoCallsError) return { end: "no_calls", error: failure.kind };
  fs.writeSync(2, `${(failure && failure.stack) || failure}\n`);
  const broken = BROKEN.some((type) => failure instanceof type);
  return { end: broken ? "broken" : "refused", error: (failure && failure.constructor && failure.constructor.name) || "Error" };
}

async function main() {
  const [, , name, folder] = process.argv;
  const [source, output] = pipes();
  const say = (members) => fs.writeSync(output, JSON.stringify(members) + "\n");
  // The lines of a turn begin with its number, whenever they are said: a call may come late.
  const ofTurn = (number) => (members) => say({ turn: number, ...members });
  // What ends the process with its parent cannot stand in this thread, which an adapter may never give back.
  new Worker(path.join(__dirname, "watch.cjs"), { workerData: { parent: process.ppid } }).unref();
  shutIn();
  const require = createRequire(path.join(path.resolve(folder), "x.js"));
  let adapter;
  try {
    adapter = await load(name, require);
  } catch (error) {
    if (!(error instanceof NoAdapterError)) throw error;
    fs.writeSync(2, `${error.stack}\n`);
    say(error.members);
    process.exit(0);
  }
  say({ ready: { version: version(require, adapter.packages), profiles: adapter.profiles } });
  const thrown = { error: null };
  for (const event of ["unhandledRejection", "uncaughtException"]) {
    process.on(event, (error) => {
      thrown.error = error;
    });
  }
  for await (const line of readline.createInterface({ input: source })) {
    const asked = JSON.parse(line);
    const sayOf = ofTurn(asked.turn);
    sayOf(await drive(adapter, new Task(asked, sayOf), thrown));
  }
  // What is still at work comes to its end, and may hand over; whoever started this process knows how long to wait.
}

main().catch((error) => {
  process.stderr.write(`${(error && error.stack) || error}\n`);
  process.exit(1);
});
