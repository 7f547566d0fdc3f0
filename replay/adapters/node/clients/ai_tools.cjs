// The tools of a turn for the AI SDK, in both forms. `own` is the name that a tool has for the model.
"use strict";

module.exports = (sdk, turn) => {
  const made = (name, inputSchema, more) =>
    sdk.tool({
      description: "",
      inputSchema,
      execute: (input, { toolCallId }) => turn.handOver(toolCallId, name, input),
      ...more,
    });
  return {
    // A schema of zod, which is how applications write them: input is held against it.
    typed: (z) => (name, more) => made(name, turn.zod(z, name), more),
    // A JSON Schema without a function that validates: it goes to the model, and input is held against nothing.
    raw: (name, more) => made(name, sdk.jsonSchema(turn.schema(name)), more),
  };
};
