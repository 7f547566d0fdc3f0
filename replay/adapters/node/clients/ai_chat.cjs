// The AI SDK over chat completions and messages: `streamText`; `form` makes one of the forms of its tools.
"use strict";

const stream = require("./ai_stream.cjs");
const forms = require("./ai_tools.cjs");

module.exports = (require, form) => {
  const sdk = require("ai");
  const { createOpenAI } = require("@ai-sdk/openai");
  const { createAnthropic } = require("@ai-sdk/anthropic");
  const models = {
    openai: (turn) => createOpenAI({ apiKey: turn.key, baseURL: turn.baseUrl + "/v1" }).chat(turn.model),
    anthropic: (turn) => createAnthropic({ apiKey: turn.key, baseURL: turn.baseUrl + "/v1" })(turn.model),
  };
  return {
    packages: ["ai"],
    profiles: ["openai", "anthropic"],
    async run(turn) {
      const tool = form(forms(sdk, turn));
      const tools = Object.fromEntries(Object.keys(turn.tools).map((name) => [name, tool(name)]));
      await stream(sdk, turn, models[turn.profile](turn), tools);
    },
  };
};
