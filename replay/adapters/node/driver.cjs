// Runs one adapter in Node: turns in, one a line; what it would execute out, one line a call. The same protocol as
// driver.py. `node driver.cjs NAME FOLDER`: FOLDER holds the node_modules of the clients. Before a client is loaded,
// the process is shut in: it can reach the loopback interface and start no program.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const readline = require("node:readline");
const { createRequire } = require("node:module");
const { Worker } = require("node:worker_threads");
const { shutIn } = require("./guard.cjs");

const MODELS = {
  openai: "gpt-4o-mini",
  mistral: "mistral-small-latest",
  anthropic: "claude-sonnet-4-5",
  "openai-responses": "gpt-4o-mini",
  "bedrock-converse": "anthropic.claude-sonnet-4-5-20250929-v1:0",
  "cohere-v2": "command-a-03-2025",
};
// Errors that are a bug by their type. Any other one is a refusal: someone meant to throw it.
const BROKEN = [TypeError, ReferenceError, RangeError];

class Task {
  constructor(asked, say) {
    this.baseUrl = asked.base_url;
    this.profile = asked.profile;
    this.tools = asked.tools;
    this.key = "x";
    this.model = MODELS[asked.profile];
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

async function main() {
  const [, , name, folder] = process.argv;
  const say = (members) => fs.writeSync(1, JSON.stringify(members) + "\n");
  // The lines of a turn begin with its number, whenever they are said: a call may come late.
  const ofTurn = (number) => (members) => fs.writeSync(1, `${number} ${JSON.stringify(members)}\n`);
  console.log = console.info = console.warn = console.debug = console.error = () => {};
  // What ends the process with its parent cannot stand in this thread, which an adapter may never give back.
  new Worker(path.join(__dirname, "watch.cjs"), { workerData: { parent: process.ppid } }).unref();
  shutIn();
  const require = createRequire(path.join(path.resolve(folder), "x.js"));
  let adapter;
  try {
    adapter = module.require(path.join(__dirname, name + ".cjs"))(require);
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
    say({ missing: name });
    return;
  }
  say({ ready: { version: version(require, adapter.packages), profiles: adapter.profiles, install: null } });
  let rejected = null;
  process.on("unhandledRejection", (error) => {
    rejected = error;
  });
  for await (const line of readline.createInterface({ input: process.stdin })) {
    rejected = null;
    let failure = null;
    const asked = JSON.parse(line);
    const sayOf = ofTurn(asked.number);
    try {
      await adapter.run(new Task(asked, sayOf));
      failure = rejected;
    } catch (error) {
      failure = error;
    }
    const kind = failure === null ? null : (failure && failure.constructor && failure.constructor.name) || "Error";
    const broken = BROKEN.some((type) => failure instanceof type);
    sayOf({ end: failure === null ? "returned" : broken ? "broken" : "refused", error: kind });
  }
  // What is still at work comes to its end, and may hand over; whoever started this process knows how long to wait.
}

main().catch((error) => {
  process.stderr.write(`${error && error.constructor && error.constructor.name}\n`);
  process.exit(1);
});
