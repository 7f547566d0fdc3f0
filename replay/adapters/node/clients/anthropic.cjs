// The official Node client of Anthropic: `messages.stream()` and its final message.
"use strict";

module.exports = (require) => {
  const { Anthropic } = require("@anthropic-ai/sdk");
  return {
    packages: ["@anthropic-ai/sdk"],
    profiles: ["anthropic"],
    async run(turn) {
      const client = new Anthropic({ apiKey: turn.key, baseURL: turn.baseUrl, maxRetries: 0 });
      const stream = client.messages.stream({
        model: turn.model,
        max_tokens: 1024,
        messages: turn.messages,
        tools: turn.anthropicTools(),
      });
      const message = await stream.finalMessage();
      for (const block of message.content) {
        if (block.type === "tool_use") turn.handOver(block.id, block.name, block.input);
      }
    },
  };
};
