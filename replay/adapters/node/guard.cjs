// Shuts a Node process in: from here on it can reach the loopback interface, and start no program and no second thread.
// What leads outside is replaced twice: where applications call it, so that it throws at once; and below, where all of
// Node's own modules end, so that no class and no function of theirs leads past. There it fails with the system's error.
"use strict";

const inspector = require("node:inspector");
const modules = require("node:module");
const net = require("node:net");

const { apply } = Reflect;
const { isIPv4 } = net;
const { binding } = process;
// What a function of libuv returns where the system says EACCES.
const EACCES = -require("node:os").constants.errno.EACCES;
const LOOPBACK6 = "::1";
const MAPPED = "::ffff:";

function denied() {
  return Object.assign(new Error("toolreel diff: an adapter may reach the loopback interface alone"), {
    code: "EACCES",
  });
}

function deny() {
  throw denied();
}

// Read character by character: a method of texts may have been replaced.
function isLocalAddress(host) {
  if (typeof host !== "string") return false;
  if (host === LOOPBACK6) return true;
  let at = 0;
  while (at < MAPPED.length && host[at] === MAPPED[at]) at += 1;
  if (at !== MAPPED.length) at = 0;
  let rest = "";
  for (let next = at; next < host.length; next += 1) rest += host[next];
  return isIPv4(rest) && rest[0] === "1" && rest[1] === "2" && rest[2] === "7" && rest[3] === ".";
}

function isLocal(host) {
  return host === undefined || host === null || host === "localhost" || isLocalAddress(host);
}

function replace(where, name, make) {
  const real = where === undefined ? undefined : where[name];
  if (typeof real === "function") where[name] = make(real);
}

// The functions of the system, as Node's own modules see them.
function shutBelow() {
  const part = (name) => {
    try {
      return apply(binding, process, [name]);
    } catch {
      return {}; // a version of Node without it
    }
  };
  const ifLocal = (real) =>
    function (...given) {
      // connect(request, address, port); bind(address, port)
      return isLocalAddress(typeof given[0] === "string" ? given[0] : given[1]) ? apply(real, this, given) : EACCES;
    };
  const never = () => () => EACCES;
  const { TCP } = part("tcp_wrap");
  for (const name of ["connect", "connect6", "bind", "bind6"]) replace(TCP && TCP.prototype, name, ifLocal);
  const { Pipe } = part("pipe_wrap");
  replace(Pipe && Pipe.prototype, "connect", never);
  const { UDP } = part("udp_wrap");
  for (const name of ["bind", "bind6", "connect", "connect6", "send", "send6"]) {
    replace(UDP && UDP.prototype, name, never);
  }
  const { Process } = part("process_wrap");
  replace(Process && Process.prototype, "spawn", never);
  replace(part("spawn_sync"), "spawn", () => () => ({ error: EACCES, status: null, signal: null, output: null, pid: 0 }));
  const cares = part("cares_wrap");
  const { ChannelWrap } = cares;
  for (const name of Object.getOwnPropertyNames((ChannelWrap && ChannelWrap.prototype) || {})) {
    if (name.startsWith("query") || name === "getHostByAddr") replace(ChannelWrap.prototype, name, never);
  }
  const named = (real) => (request, host, ...rest) =>
    isLocal(host) ? apply(real, cares, [request, host, ...rest]) : EACCES;
  replace(cares, "getaddrinfo", named);
  replace(cares, "getnameinfo", named);
}

function shutAbove() {
  const connect = net.Socket.prototype.connect;
  net.Socket.prototype.connect = function (...given) {
    const options = Array.isArray(given[0]) ? given[0][0] : given[0];
    const host = options !== null && typeof options === "object" ? options.host : given[1];
    const local = options !== null && typeof options === "object" && options.path === undefined;
    if ((!local && typeof options !== "number") || !isLocal(typeof host === "function" ? undefined : host)) {
      throw denied();
    }
    return apply(connect, this, given);
  };
  const dns = require("node:dns");
  const named = (real) =>
    function (host, ...rest) {
      if (!isLocal(host)) throw denied();
      return apply(real, this, [host, ...rest]);
    };
  for (const where of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
    for (let owner = where; owner && owner !== Object.prototype; owner = Object.getPrototypeOf(owner)) {
      for (const name of Object.getOwnPropertyNames(owner)) {
        // A server of names is not on this machine, whatever it is asked.
        if (name.startsWith("resolve") || name === "reverse") replace(owner, name, () => deny);
        else if (name.startsWith("lookup")) replace(owner, name, named);
      }
    }
  }
  const children = require("node:child_process");
  for (const name of ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"]) {
    children[name] = deny;
  }
  children.ChildProcess.prototype.spawn = deny;
  const datagrams = require("node:dgram");
  datagrams.createSocket = deny;
  datagrams.Socket = class {
    constructor() {
      throw denied();
    }
  };
}

// Another thread has modules of its own, which nothing here has replaced; the inspector listens where it is told to.
function shutBeside() {
  require("node:worker_threads").Worker = class {
    constructor() {
      throw denied();
    }
  };
  if (modules.register !== undefined) modules.register = deny;
  inspector.open = deny;
  process.binding = process._linkedBinding = deny;
}

function shutIn() {
  shutBelow();
  shutAbove();
  shutBeside();
  // What was imported by name before is replaced too.
  modules.syncBuiltinESMExports();
}

module.exports = { shutIn };
