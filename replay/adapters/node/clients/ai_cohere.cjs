// The AI SDK over Cohere; input is held against schemas of zod.
"use strict";

const provider = require("./ai_provider.cjs");

module.exports = provider({
  provider: "@ai-sdk/cohere",
  profile: "cohere-v2",
  model: ({ createCohere }, { key, baseUrl, model }) => createCohere({ apiKey: key, baseURL: baseUrl + "/v2" })(model),
});
