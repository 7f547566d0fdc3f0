// The official Node client of OpenAI on the Responses API: the events of `create`; the final list of the response, and
// where that is empty each item that was done.
"use strict";

const handOver = require("./responses_items.cjs");

module.exports = (require) => {
  const { OpenAI } = require("openai");
  return {
    packages: ["openai"],
    profiles: ["openai-responses"],
    async run(turn) {
      const client = new OpenAI({ apiKey: turn.key, baseURL: turn.baseUrl + "/v1", maxRetries: 0 });
      const items = {};
      for await (const event of await client.responses.create({
        model: turn.model,
        input: turn.messages,
        tools: turn.responsesTools(),
        stream: true,
      })) {
        if (event.type === "response.output_item.done") items[event.output_index] = event.item;
        if (event.type === "response.completed") {
          const { output } = event.response;
          handOver(turn, output && output.length > 0 ? output : Object.values(items));
        }
      }
    },
  };
};
