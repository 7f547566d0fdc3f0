// What an adapter returned, read as calls, as returned.py does: what is no list of them would let a gate pass.
"use strict";

class NoCallsError extends Error {
  constructor(value) {
    const kind = (value !== null && typeof value === "object" && value.constructor && value.constructor.name) || typeof value;
    super(`an adapter returns a list of calls, or nothing; this is of the type ${kind}`);
    this.kind = kind;
  }
}

function isCall(value) {
  return value !== null && typeof value === "object" && "name" in value && "arguments" in value;
}

async function* calls(handed) {
  if (handed === undefined || handed === null) return;
  const listed = typeof handed === "object" && (Symbol.iterator in handed || Symbol.asyncIterator in handed);
  if (!listed) throw new NoCallsError(handed);
  for await (const call of handed) {
    if (!isCall(call)) throw new NoCallsError(call);
    yield call;
  }
}

module.exports = { calls, NoCallsError };
