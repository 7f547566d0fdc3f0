// The AI SDK over a provider that has a package of its own: `streamText` with recorders for tools; what it runs is what
// it hands over. `model` is given the package and the turn; `form` makes one of the forms of the tools.
"use strict";

const stream = require("./ai_stream.cjs");
const forms = require("./ai_tools.cjs");

const made = (require, { provider, profile, model, beside = () => ({}) }, form) => {
  const sdk = require("ai");
  const own = require(provider);
  return {
    packages: ["ai", provider],
    profiles: [profile],
    async run(turn) {
      const tool = form(forms(sdk, turn));
      const tools = Object.fromEntries(Object.keys(turn.tools).map((name) => [name, tool(name, beside(turn, name))]));
      await stream(sdk, turn, model(own, turn), tools);
    },
  };
};

// The adapter with schemas of zod, and as its `raw` the one with JSON Schemas that nothing validates.
module.exports = (about) =>
  Object.assign((require) => made(require, about, (tools) => tools.typed(require("zod"))), {
    raw: (require) => made(require, about, (tools) => tools.raw),
  });
