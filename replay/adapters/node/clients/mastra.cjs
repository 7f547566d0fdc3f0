// Mastra: an agent whose tools have schemas of zod; what it runs is what it hands over.
"use strict";

module.exports = (require) => {
  const { Agent } = require("@mastra/core/agent");
  const { createTool } = require("@mastra/core/tools");
  const { createOpenAI } = require("@ai-sdk/openai");
  const { createAnthropic } = require("@ai-sdk/anthropic");
  const models = {
    openai: (turn) => createOpenAI({ apiKey: turn.key, baseURL: turn.baseUrl + "/v1" }).chat(turn.model),
    anthropic: (turn) => createAnthropic({ apiKey: turn.key, baseURL: turn.baseUrl + "/v1" })(turn.model),
  };
  return {
    packages: ["@mastra/core"],
    profiles: ["openai", "anthropic"],
    async run(turn) {
      const tools = {};
      for (const name of Object.keys(turn.tools)) {
        tools[name] = createTool({
          id: name,
          description: name,
          inputSchema: turn.zod(require("zod"), name),
          // Before version 1 the input is a member of the first argument, and the id one of the second.
          execute: async (first, second = {}) =>
            "runtimeContext" in first
              ? turn.handOver(second.toolCallId, name, first.context)
              : turn.handOver(second.agent && second.agent.toolCallId, name, first),
        });
      }
      const agent = new Agent({
        id: "recorder",
        name: "recorder",
        instructions: "Use the tools.",
        model: models[turn.profile](turn),
        tools,
        maxRetries: 0,
      });
      const stream = await agent.stream("Use the tools.", { maxSteps: 1, modelSettings: { maxRetries: 0 } });
      let failure = null;
      for await (const part of stream.fullStream) if (part.type === "error") failure = part.payload.error;
      if (failure !== null) throw failure;
    },
  };
};
