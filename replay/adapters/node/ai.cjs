// The AI SDK: `streamText` with recorders for tools; what it runs is what it hands over.
"use strict";

module.exports = (require) => {
  const { jsonSchema, stepCountIs, streamText, tool } = require("ai");
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
        tools[name] = tool({
          description: "",
          inputSchema: jsonSchema(turn.schema(name)),
          execute: (input, { toolCallId }) => turn.handOver(toolCallId, name, input),
        });
      }
      let failure = null;
      const result = streamText({
        model: models[turn.profile](turn),
        messages: turn.messages,
        tools,
        maxRetries: 0,
        stopWhen: stepCountIs(1),
        onError: ({ error }) => {
          failure = error;
        },
      });
      for await (const part of result.fullStream) {
        if (part.type === "error") failure = part.error;
      }
      if (failure !== null) throw failure;
    },
  };
};
