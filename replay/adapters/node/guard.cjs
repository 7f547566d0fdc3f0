// Shuts a Node process in: from here on it can reach the loopback interface, and start no program.
"use strict";

const net = require("node:net");

function denied() {
  return Object.assign(new Error("toolreel diff: an adapter may reach the loopback interface alone"), {
    code: "EACCES",
  });
}

function isLocal(host) {
  return (
    host === undefined || host === "localhost" || host === "::1" || (net.isIPv4(host) && host.startsWith("127."))
  );
}

function shutIn() {
  const connect = net.Socket.prototype.connect;
  net.Socket.prototype.connect = function (...given) {
    const options = Array.isArray(given[0]) ? given[0][0] : given[0];
    const host = options !== null && typeof options === "object" ? options.host : given[1];
    const local = options !== null && typeof options === "object" && options.path === undefined;
    if ((!local && typeof options !== "number") || !isLocal(typeof host === "function" ? undefined : host)) {
      throw denied();
    }
    return connect.apply(this, given);
  };
  const dns = require("node:dns");
  for (const where of [dns, dns.promises]) {
    for (const name of Object.keys(where)) {
      if (typeof where[name] === "function" && (name.startsWith("resolve") || name.startsWith("lookup"))) {
        const real = where[name];
        where[name] = function (host, ...rest) {
          if (!isLocal(host)) throw denied();
          return real.call(this, host, ...rest);
        };
      }
    }
  }
  const children = require("node:child_process");
  for (const name of ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"]) {
    children[name] = () => {
      throw denied();
    };
  }
  require("node:dgram").createSocket = () => {
    throw denied();
  };
  require("node:worker_threads").Worker = class {
    constructor() {
      throw denied();
    }
  };
  process.binding = () => {
    throw denied();
  };
}

module.exports = { shutIn };
