// The AI SDK over Amazon Bedrock: `streamText` with recorders for tools; what it runs is what it hands over.
"use strict";

const stream = require("./ai_stream.cjs");

module.exports = (require) => {
  const sdk = require("ai");
  const { createAmazonBedrock } = require("@ai-sdk/amazon-bedrock");
  return {
    packages: ["ai", "@ai-sdk/amazon-bedrock"],
    profiles: ["bedrock-converse"],
    async run(turn) {
      const tools = {};
      for (const name of Object.keys(turn.tools)) {
        tools[name] = sdk.tool({
          description: "",
          inputSchema: sdk.jsonSchema(turn.schema(name)),
          execute: (input, { toolCallId }) => turn.handOver(toolCallId, name, input),
        });
      }
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
