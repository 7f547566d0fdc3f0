// The AI SDK over its provider for whatever speaks the API of OpenAI; the input of tools is a schema of zod.
"use strict";

const stream = require("./ai_stream.cjs");
const forms = require("./ai_tools.cjs");

module.exports = (require) => {
  const sdk = require("ai");
  const { createOpenAICompatible } = require("@ai-sdk/openai-compatible");
  return {
    packages: ["ai", "@ai-sdk/openai-compatible"],
    profiles: ["openai"],
    async run(turn) {
      const tool = forms(sdk, turn).typed(require("zod"));
      const tools = Object.fromEntries(Object.keys(turn.tools).map((name) => [name, tool(name)]));
      const provider = createOpenAICompatible({ name: "gateway", apiKey: turn.key, baseURL: turn.baseUrl + "/v1" });
      await stream(sdk, turn, provider(turn.model), tools);
    },
  };
};
