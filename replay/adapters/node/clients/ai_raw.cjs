// As `ai.cjs`, with JSON Schemas that nothing validates.
"use strict";

const chat = require("./ai_chat.cjs");

module.exports = (require) => chat(require, (tools) => tools.raw);
