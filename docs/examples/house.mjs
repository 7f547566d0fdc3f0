// An adapter for Node: toolreel diff reels --adapter ./house.mjs
export default async function drive(turn) {
  const response = await fetch(turn.baseUrl + "/v1/chat/completions", {
    method: "POST",
    body: JSON.stringify({ model: turn.model, messages: turn.messages, tools: turn.openaiTools(), stream: true }),
  });
  const calls = [];
  let finish = null;
  for (const line of (await response.text()).split("\n")) {
    if (!line.startsWith("data: {")) continue;
    for (const choice of JSON.parse(line.slice(6)).choices) {
      finish = choice.finish_reason || finish;
      for (const { index, id, function: part } of choice.delta.tool_calls || []) {
        const call = (calls[index] ??= { id, name: "", arguments: "" });
        call.name += part.name || "";
        call.arguments += part.arguments || "";
      }
    }
  }
  return finish === "tool_calls" ? calls.filter(Boolean) : [];
}

drive.profiles = ["openai"];
