// As `ai_bedrock.cjs`, with JSON Schemas that nothing validates.
"use strict";

module.exports = require("./ai_bedrock.cjs").raw;
