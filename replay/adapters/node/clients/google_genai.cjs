// Google's Node client for Gemini: `generateContentStream`, the calls of all chunks that are one by themselves.
"use strict";

module.exports = (require) => {
  const { GoogleGenAI } = require("@google/genai");
  return {
    packages: ["@google/genai"],
    profiles: ["gemini"],
    async run(turn) {
      const client = new GoogleGenAI({ apiKey: turn.key, httpOptions: { baseUrl: turn.baseUrl } });
      const functionDeclarations = Object.keys(turn.tools).map((name) => ({
        name,
        parametersJsonSchema: turn.schema(name),
      }));
      const chunks = await client.models.generateContentStream({
        model: turn.model,
        contents: "Use the tools.",
        config: { tools: [{ functionDeclarations }] },
      });
      for await (const chunk of chunks) {
        for (const candidate of chunk.candidates ?? []) {
          for (const part of candidate.content?.parts ?? []) {
            const call = part.functionCall;
            if (call?.name && !call.willContinue) turn.handOver(call.id ?? null, call.name, call.args ?? {});
          }
        }
      }
    },
  };
};
