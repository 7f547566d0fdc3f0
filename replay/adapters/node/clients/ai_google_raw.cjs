// As `ai_google.cjs`, with JSON Schemas that nothing validates.
"use strict";

module.exports = require("./ai_google.cjs").raw;
