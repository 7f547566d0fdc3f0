// The AI SDK over Gemini: `streamText` with recorders for tools; what it runs is what it hands over.
"use strict";

const stream = require("./ai_stream.cjs");

module.exports = (require) => {
  const sdk = require("ai");
  const { createGoogleGenerativeAI } = require("@ai-sdk/google");
  return {
    packages: ["ai", "@ai-sdk/google"],
    profiles: ["gemini"],
    async run(turn) {
      const tools = {};
      for (const name of Object.keys(turn.tools)) {
        tools[name] = sdk.tool({
          description: "",
          inputSchema: sdk.jsonSchema(turn.schema(name)),
          execute: (input) => turn.handOver(undefined, name, input),
        });
      }
      const provider = createGoogleGenerativeAI({ apiKey: turn.key, baseURL: turn.baseUrl + "/v1beta" });
      await stream(sdk, turn, provider(turn.model), tools);
    },
  };
};
