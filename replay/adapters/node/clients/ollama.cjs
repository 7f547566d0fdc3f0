// Ollama's Node client: `chat` with a stream, the tool calls of all lines.
"use strict";

module.exports = (require) => {
  const { Ollama } = require("ollama");
  return {
    packages: ["ollama"],
    profiles: ["ollama"],
    async run(turn) {
      const client = new Ollama({ host: turn.baseUrl });
      const tools = Object.keys(turn.tools).map((name) => ({
        type: "function",
        function: { name, description: "", parameters: turn.schema(name) },
      }));
      const chunks = await client.chat({ model: turn.model, messages: turn.messages, tools, stream: true });
      for await (const chunk of chunks) {
        for (const call of chunk.message?.tool_calls ?? []) {
          turn.handOver(call.id ?? null, call.function.name, call.function.arguments);
        }
      }
    },
  };
};
