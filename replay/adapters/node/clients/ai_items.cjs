// The AI SDK over the Responses API: `streamText`; `form` makes one of the forms of its tools. A tool of a namespace
// has its own name there, and says its namespace beside it.
"use strict";

const stream = require("./ai_stream.cjs");
const forms = require("./ai_tools.cjs");

module.exports = (require, form) => {
  const sdk = require("ai");
  const { createOpenAI } = require("@ai-sdk/openai");
  return {
    packages: ["ai"],
    profiles: ["openai-responses"],
    async run(turn) {
      const provider = createOpenAI({ apiKey: turn.key, baseURL: turn.baseUrl + "/v1" });
      const tool = form(forms(sdk, turn));
      const tools = {};
      for (const name of Object.keys(turn.tools)) {
        const dot = name.lastIndexOf(".");
        const [space, own] = [name.slice(0, Math.max(dot, 0)), name.slice(dot + 1)];
        const beside = space && { providerOptions: { openai: { namespace: { name: space, description: space } } } };
        const execute = (input, { toolCallId }) => turn.handOver(toolCallId, name, input);
        tools[own] = turn.isCustom(name) ? provider.tools.customTool({ name: own, execute }) : tool(name, beside || {});
      }
      await stream(sdk, turn, provider(turn.model), tools);
    },
  };
};
