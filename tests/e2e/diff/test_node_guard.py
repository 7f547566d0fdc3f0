"""The Node side of `toolreel diff`: what an adapter's process can still reach."""

import json
import shutil
import subprocess
from typing import Final

import pytest
from support import shared

GUARD: Final = shared.ROOT / "replay" / "adapters" / "node" / "guard.cjs"
SCRIPT: Final = """
const { UDP } = process.binding("udp_wrap");
require(process.argv[1]).shutIn();
const net = require("node:net"), dns = require("node:dns"), http = require("node:http"), tls = require("node:tls");
const settle = (start) => new Promise((done) => {
  try {
    const made = start();
    if (made && made.then) made.then(() => done("reached"), (error) => done(cause(error)));
    else if (made && made.on) {
      made.on("error", (error) => done(cause(error)));
      made.on("connect", () => done("reached"));
    }
    else done("reached");
  } catch (error) { done(cause(error)); }
});
const cause = (error) => (error.cause || error).code || `${error.name} without a code`;
(async () => {
  const server = http.createServer((_, response) => response.end("ok")).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  const port = server.address().port;
  const tried = {
    fetchLocal: () => fetch(`http://127.0.0.1:${port}/`),
    connectLocal: () => net.connect(port, "127.0.0.1"),
    fetch: () => fetch("http://192.0.2.1/"),
    fetchName: () => fetch("http://example.org/"),
    connect: () => net.connect(80, "192.0.2.1"),
    connectOptions: () => net.connect({ port: 80, host: "192.0.2.1" }),
    socket: () => new net.Socket().connect(80, "192.0.2.1"),
    socket6: () => new net.Socket().connect(80, "2001:db8::1"),
    unix: () => net.connect("/var/run/nowhere"),
    unixOptions: () => net.connect({ path: "/var/run/nowhere" }),
    tls: () => tls.connect(443, "192.0.2.1"),
    lookup: () => dns.promises.lookup("example.org"),
    resolve: () => dns.promises.resolve4("example.org"),
    datagram: () => require("node:dgram").createSocket("udp4"),
    program: () => require("node:child_process").spawn("true"),
    programSync: () => require("node:child_process").execFileSync("true"),
    resolver: () => new dns.promises.Resolver().resolve4("example.org"),
    resolverSelf: () => new dns.promises.Resolver().resolve4("localhost"),
    resolverAny: () => new dns.Resolver().resolve("example.org", () => {}),
    reverse: () => dns.promises.reverse("192.0.2.1"),
    service: () => dns.promises.lookupService("192.0.2.1", 80),
    ownLookup: () => net.connect({
      port: 80, host: "localhost", lookup: (_, options, done) => options.all
        ? done(null, [{ address: "192.0.2.1", family: 4 }]) : done(null, "192.0.2.1", 4),
    }),
    ownLookup6: () => net.connect({
      port: 80, host: "localhost", family: 6, lookup: (_, options, done) => options.all
        ? done(null, [{ address: "2001:db8::1", family: 6 }]) : done(null, "2001:db8::1", 6),
    }),
    changing: () => net.connect(Object.defineProperty({ port: 80, asked: 0 }, "host", {
      get() { return this.asked++ < 1 ? "127.0.0.1" : "192.0.2.1"; },
    })),
    listen: () => net.createServer().listen(0, "192.0.2.1"),
    http2: () => require("node:http2").connect("http://192.0.2.1"),
    datagramClass: () => new (require("node:dgram").Socket)("udp4"),
    child: () => new (require("node:child_process").ChildProcess)().spawn({ file: "/bin/true", args: ["true"] }),
    childBelow: () => {
      const failed = new (require("node:child_process").ChildProcess)()._handle.spawn({ file: "/bin/true" });
      throw Object.assign(new Error("failed"), { code: failed === -13 ? "EACCES" : failed });
    },
    datagramBelow: () => {
      const failed = new UDP().bind("127.0.0.1", 0, 0);
      throw Object.assign(new Error("failed"), { code: failed === -13 ? "EACCES" : failed });
    },
    cluster: () => require("node:cluster").fork(),
    programImported: () => import("node:child_process").then((all) => all.execFileSync("true")),
    thread: () => require("node:module").register("data:text/javascript,1"),
    threadImported: () => import("node:worker_threads").then((all) => new all.Worker("1", { eval: true })),
    inspector: () => require("node:inspector").open(0, "192.0.2.1"),
    binding: () => process.binding("tcp_wrap"),
    linkedBinding: () => process._linkedBinding("tcp_wrap"),
    worker: () => new (require("node:worker_threads").Worker)("1", { eval: true }),
  };
  const found = {};
  for (const [name, start] of Object.entries(tried)) found[name] = await settle(start);
  console.log(JSON.stringify(found));
  process.exit(0);
})();
"""


def test_a_node_adapter_reaches_nothing_but_loopback() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    done = subprocess.run([node, "-e", SCRIPT, str(GUARD)], capture_output=True, text=True, timeout=60, check=True)
    found = json.loads(done.stdout)
    assert {name for name, how in found.items() if how == "reached"} == {"fetchLocal", "connectLocal"}
    assert {how for name, how in found.items() if not name.endswith("Local")} == {"EACCES"}
