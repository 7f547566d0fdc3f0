// The AI SDK: `streamText` with recorders for tools; what it runs is what it hands over.
"use strict";

const stream = require("./ai_stream.cjs");

module.exports = (require) => {
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
      const tools = {};
      for (const name of Object.keys(turn.tools)) {
        tools[name] = sdk.tool({
          description: "",
          inputSchema: sdk.jsonSchema(turn.schema(name)),
          execute: (input, { toolCallId }) => turn.handOver(toolCallId, name, input),
        });
      }
      await stream(sdk, turn, models[turn.profile](turn), tools);
    },
  };
};
