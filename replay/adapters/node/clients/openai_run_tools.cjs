// The official Node client of OpenAI: `chat.completions.runTools()`, which runs tools; input is parsed by zod.
"use strict";

module.exports = (require) => {
  const { OpenAI } = require("openai");
  return {
    packages: ["openai"],
    profiles: ["openai"],
    async run(turn) {
      const client = new OpenAI({ apiKey: turn.key, baseURL: turn.baseUrl + "/v1", maxRetries: 0 });
      const tools = Object.keys(turn.tools).map((name) => {
        const schema = turn.zod(require("zod"), name);
        const parse = (text) => schema.parse(JSON.parse(text));
        return {
          type: "function",
          // It gives the function no id of the call.
          function: { name, parameters: turn.schema(name), parse, function: (input) => turn.handOver(undefined, name, input) },
        };
      });
      const runner = client.chat.completions.runTools(
        { model: turn.model, messages: turn.messages, tools, stream: true },
        { maxChatCompletions: 2 },
      );
      await runner.done();
    },
  };
};
