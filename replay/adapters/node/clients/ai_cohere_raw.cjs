// As `ai_cohere.cjs`, with JSON Schemas that nothing validates.
"use strict";

module.exports = require("./ai_cohere.cjs").raw;
