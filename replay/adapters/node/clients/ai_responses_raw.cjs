// As `ai_responses.cjs`, with JSON Schemas that nothing validates.
"use strict";

const responses = require("./ai_items.cjs");

module.exports = (require) => responses(require, (tools) => tools.raw);
