// The AI SDK over Cohere: `streamText` with recorders for tools; what it runs is what it hands over.
"use strict";

const stream = require("./ai_stream.cjs");
const forms = require("./ai_tools.cjs");

module.exports = (require) => {
  const sdk = require("ai");
  const { createCohere } = require("@ai-sdk/cohere");
  return {
    packages: ["ai", "@ai-sdk/cohere"],
    profiles: ["cohere-v2"],
    async run(turn) {
      const tool = forms(sdk, turn).raw;
      const tools = Object.fromEntries(Object.keys(turn.tools).map((name) => [name, tool(name)]));
      const provider = createCohere({ apiKey: turn.key, baseURL: turn.baseUrl + "/v2" });
      await stream(sdk, turn, provider(turn.model), tools);
    },
  };
};
