// The official Node client of OpenAI: `chat.completions.stream()` and its final completion.
"use strict";

module.exports = (require) => {
  const { OpenAI } = require("openai");
  return {
    packages: ["openai"],
    profiles: ["openai"],
    async run(turn) {
      const client = new OpenAI({ apiKey: turn.key, baseURL: turn.baseUrl + "/v1", maxRetries: 0 });
      const stream = client.chat.completions.stream({
        model: turn.model,
        messages: turn.messages,
        tools: turn.openaiTools(),
      });
      const completion = await stream.finalChatCompletion();
      for (const choice of completion.choices) {
        for (const call of choice.message.tool_calls || []) {
          turn.handOver(call.id, call.function.name, call.function.arguments);
        }
      }
    },
  };
};
