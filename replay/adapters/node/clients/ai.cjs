// The AI SDK: `streamText` with recorders for tools, their input a schema of zod; what it runs is what it hands over.
"use strict";

const chat = require("./ai_chat.cjs");

module.exports = (require) => chat(require, (tools) => tools.typed(require("zod")));
