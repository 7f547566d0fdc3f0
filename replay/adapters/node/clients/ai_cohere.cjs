// The AI SDK over Cohere: `streamText` with recorders for tools; what it runs is what it hands over.
"use strict";

const stream = require("./ai_stream.cjs");

module.exports = (require) => {
  const sdk = require("ai");
  const { createCohere } = require("@ai-sdk/cohere");
  return {
    packages: ["ai", "@ai-sdk/cohere"],
    profiles: ["cohere-v2"],
    async run(turn) {
      const tools = {};
      for (const name of Object.keys(turn.tools)) {
        tools[name] = sdk.tool({
          description: "",
          inputSchema: sdk.jsonSchema(turn.schema(name)),
          execute: (input, { toolCallId }) => turn.handOver(toolCallId, name, input),
        });
      }
      const provider = createCohere({ apiKey: turn.key, baseURL: turn.baseUrl + "/v2" });
      await stream(sdk, turn, provider(turn.model), tools);
    },
  };
};
