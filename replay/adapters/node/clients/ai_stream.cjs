// The AI SDK: `streamText`, one step, read to its end; an error that it only reports is thrown.
"use strict";

module.exports = async ({ streamText, stepCountIs }, turn, model, tools) => {
  let failure = null;
  const result = streamText({
    model,
    messages: turn.messages,
    tools,
    maxRetries: 0,
    stopWhen: stepCountIs(1),
    onError: ({ error }) => {
      failure = error;
    },
  });
  for await (const part of result.fullStream) {
    if (part.type === "error") failure = part.error;
  }
  if (failure !== null) throw failure;
};
