// The AI SDK with its own choice of a model of OpenAI, which is the Responses API; input is held against schemas of zod.
"use strict";

const responses = require("./ai_items.cjs");

module.exports = (require) => responses(require, (tools) => tools.typed(require("zod")));
