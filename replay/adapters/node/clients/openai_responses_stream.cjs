// The official Node client of OpenAI on the Responses API: `responses.stream()` and its final response.
"use strict";

const handOver = require("./responses_items.cjs");

module.exports = (require) => {
  const { OpenAI } = require("openai");
  return {
    packages: ["openai"],
    profiles: ["openai-responses"],
    async run(turn) {
      const client = new OpenAI({ apiKey: turn.key, baseURL: turn.baseUrl + "/v1", maxRetries: 0 });
      const stream = client.responses.stream({
        model: turn.model,
        input: turn.messages,
        tools: turn.responsesTools(),
      });
      const response = await stream.finalResponse();
      handOver(turn, response.output);
    },
  };
};
