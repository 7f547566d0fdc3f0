// The AI SDK over Amazon Bedrock: `streamText` with recorders for tools; what it runs is what it hands over.
"use strict";

const stream = require("./ai_stream.cjs");
const forms = require("./ai_tools.cjs");

module.exports = (require) => {
  const sdk = require("ai");
  const { createAmazonBedrock } = require("@ai-sdk/amazon-bedrock");
  return {
    packages: ["ai", "@ai-sdk/amazon-bedrock"],
    profiles: ["bedrock-converse"],
    async run(turn) {
      const tool = forms(sdk, turn).raw;
      const tools = Object.fromEntries(Object.keys(turn.tools).map((name) => [name, tool(name)]));
      const provider = createAmazonBedrock({
        region: "us-east-1",
        accessKeyId: turn.key,
        secretAccessKey: turn.key,
        baseURL: turn.baseUrl,
      });
      await stream(sdk, turn, provider(turn.model), tools);
    },
  };
};
