// The AI SDK over Gemini; input is held against schemas of zod.
"use strict";

const provider = require("./ai_provider.cjs");

module.exports = provider({
  provider: "@ai-sdk/google",
  profile: "gemini",
  model: ({ createGoogleGenerativeAI }, { key, baseUrl, model }) =>
    createGoogleGenerativeAI({ apiKey: key, baseURL: baseUrl + "/v1beta" })(model),
  // Where the stream gives a call no id, the client makes one up; so none is compared.
  beside: (turn, name) => ({ execute: (input) => turn.handOver(undefined, name, input) }),
});
