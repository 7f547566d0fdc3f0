// The AI SDK with its own choice of a model of OpenAI, which is the Responses API. A tool of a namespace has its own
// name there, and says its namespace beside it.
"use strict";

const stream = require("./ai_stream.cjs");

module.exports = (require) => {
  const sdk = require("ai");
  const { createOpenAI } = require("@ai-sdk/openai");
  return {
    packages: ["ai"],
    profiles: ["openai-responses"],
    async run(turn) {
      const provider = createOpenAI({ apiKey: turn.key, baseURL: turn.baseUrl + "/v1" });
      const tools = {};
      for (const name of Object.keys(turn.tools)) {
        const execute = (input, { toolCallId }) => turn.handOver(toolCallId, name, input);
        const dot = name.lastIndexOf(".");
        const [space, own] = [name.slice(0, Math.max(dot, 0)), name.slice(dot + 1)];
        tools[own] = turn.isCustom(name)
          ? provider.tools.customTool({ name: own, execute })
          : sdk.tool({
              description: "",
              inputSchema: sdk.jsonSchema(turn.schema(name)),
              execute,
              ...(space && { providerOptions: { openai: { namespace: { name: space, description: space } } } }),
            });
      }
      await stream(sdk, turn, provider(turn.model), tools);
    },
  };
};
