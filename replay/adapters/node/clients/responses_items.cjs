// The items of a response, handed over as an application of the Responses API has to read them. A tool of a namespace
// is called by its own name, beside that of the namespace.
"use strict";

module.exports = (turn, items) => {
  for (const item of items) {
    if (item.type !== "function_call" && item.type !== "custom_tool_call") continue;
    const name = item.namespace && item.namespace !== item.name ? `${item.namespace}.${item.name}` : item.name;
    turn.handOver(item.call_id, name, item.type === "function_call" ? item.arguments : item.input);
  }
};
