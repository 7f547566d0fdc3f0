// LangChain's `createAgent` in Node: its tools have schemas of zod; what it runs is what it hands over.
"use strict";

module.exports = (require) => {
  const { createAgent, tool } = require("langchain");
  const { ChatOpenAI } = require("@langchain/openai");
  const { ChatAnthropic } = require("@langchain/anthropic");
  const models = {
    openai: (turn) =>
      new ChatOpenAI({
        model: turn.model,
        apiKey: turn.key,
        maxRetries: 0,
        streaming: true,
        configuration: { baseURL: turn.baseUrl + "/v1" },
      }),
    anthropic: (turn) =>
      new ChatAnthropic({
        model: turn.model,
        apiKey: turn.key,
        maxRetries: 0,
        streaming: true,
        anthropicApiUrl: turn.baseUrl,
      }),
  };
  return {
    packages: ["langchain", "@langchain/core"],
    profiles: ["openai", "anthropic"],
    async run(turn) {
      const tools = Object.keys(turn.tools).map((name) =>
        tool((input, config) => turn.handOver(config.toolCall && config.toolCall.id, name, input), {
          name,
          description: name,
          schema: turn.zod(require("zod"), name),
        }),
      );
      const agent = createAgent({ model: models[turn.profile](turn), tools });
      for await (const _ of await agent.stream({ messages: turn.messages }, { streamMode: "messages" }));
    },
  };
};
