// The AI SDK over Amazon Bedrock; input is held against schemas of zod.
"use strict";

const provider = require("./ai_provider.cjs");

module.exports = provider({
  provider: "@ai-sdk/amazon-bedrock",
  profile: "bedrock-converse",
  model: ({ createAmazonBedrock }, { key, baseUrl, model }) =>
    createAmazonBedrock({ region: "us-east-1", accessKeyId: key, secretAccessKey: key, baseURL: baseUrl })(model),
});
