// Finds an adapter: a module beside this one, or a module of one's own by its path. Where it cannot be used, an error
// says why, in which file and line. For example: `house.mjs:3: SyntaxError: Unexpected token '}'`.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");
const { pathToFileURL, fileURLToPath } = require("node:url");

// The beginning of an error's stack names the place of a syntax error; a frame of it, that of any other.
const PLACE = /^(file:\/\/\S+|\/\S.*?):(\d+)\s*$/m;
const FRAME = /(?:\(|at )(file:\/\/[^\s)]+|\/[^\s)]+?):(\d+):\d+\)?/g;
const MISSING = new Set(["MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND"]);

class NoAdapterError extends Error {
  constructor(members, cause) {
    super(members.unusable || members.missing, { cause });
    this.members = members;
  }
}

async function load(name, require) {
  if (!path.isAbsolute(name)) return known(name, require);
  let found;
  try {
    found = await import(pathToFileURL(name).href);
  } catch (error) {
    throw new NoAdapterError(MISSING.has(error.code) ? missing(error, name) : { unusable: told(error, name) }, error);
  }
  return own(found, name);
}

function known(name, require) {
  try {
    return module.require(path.join(__dirname, name + ".cjs"))(require);
  } catch (error) {
    if (!MISSING.has(error.code)) throw new NoAdapterError({ unusable: told(error, name) }, error);
    throw new NoAdapterError({ missing: missing(error, name).missing }, error);
  }
}

// A module exports a function of a turn as its default, or as `run`. `profiles` and `packages` stand on the function or
// are exports beside it.
function own(found, file) {
  const inner = found.default;
  const run = [inner, found.run, inner && inner.run].find((one) => typeof one === "function");
  if (run === undefined) {
    const names = Object.keys(found).join(", ") || "nothing";
    throw new NoAdapterError({ unusable: `${shown(file)}:1: it must export a function of a turn as its default; it exports ${names}` });
  }
  const told = (name) => run[name] || found[name] || (inner && inner[name]);
  const profiles = told("profiles");
  if (profiles !== undefined && !(Array.isArray(profiles) && profiles.length > 0)) {
    throw new NoAdapterError({ unusable: `${shown(file)}: its \`profiles\` must be a list of the APIs that it speaks` });
  }
  return { run, profiles, packages: told("packages") || [] };
}

// A module that is not here, and where it is imported: the line that names it, in the file that the error names.
function missing(error, file) {
  const name = (/'([^']+)'/.exec(error.message) || [null, file])[1];
  const from = /imported from (\S.*)$/m.exec(error.message);
  const importer = from ? from[1] : (error.requireStack || [])[0];
  if (importer === undefined || importer.startsWith(__dirname)) return { missing: name };
  const text = fs.existsSync(importer) ? fs.readFileSync(importer, "utf8") : "";
  const line = text.split("\n").findIndex((one) => one.includes(`"${name}"`) || one.includes(`'${name}'`));
  return { missing: name, place: `${shown(importer)}${line < 0 ? "" : `:${line + 1}`}` };
}

// Of a module that cannot be parsed, Node does not always say the place. A script says it: this is the same text, with
// blanks where only a module has words.
function placed(file) {
  if (!path.isAbsolute(file) || !fs.existsSync(file)) return "";
  const blank = (text) => text.replace(/[^\n]/g, " ");
  const text = fs
    .readFileSync(file, "utf8")
    .replace(/^[ \t]*import\b[^;'"]*(["'])[^"'\n]*\1/gm, blank)
    .replace(/^[ \t]*export\s+(default\b|(?=(const|let|var|function|async|class)\b)|\{[^}]*\})/gm, blank);
  try {
    new vm.Script(`(async () => {${text}\n})`, { filename: file });
  } catch (error) {
    // The end of the script is one line behind that of the text.
    const last = text.split("\n").length;
    return error.stack.replace(/:(\d+)/, (_, line) => `:${Math.min(Number(line), last)}`);
  }
  return "";
}

function told(error, file) {
  let stack = String((error && error.stack) || "");
  if (error instanceof SyntaxError && !PLACE.test(stack)) stack = placed(file);
  const kind = (error && error.constructor && error.constructor.name) || typeof error;
  const frames = [...stack.matchAll(FRAME)].filter((one) => !plain(one[1]).startsWith(__dirname));
  const found = PLACE.exec(stack) || frames[0];
  const place = found ? `${shown(plain(found[1]))}:${found[2]}` : shown(file);
  const text = String((error && error.message) || error).split("\n")[0];
  return `${place}: ${kind}: ${text}`;
}

function plain(place) {
  return place.startsWith("file:") ? fileURLToPath(place) : place;
}

function shown(file) {
  const found = path.relative(process.cwd(), file);
  return found === "" || found.startsWith("..") ? file : found;
}

module.exports = { load, NoAdapterError };
