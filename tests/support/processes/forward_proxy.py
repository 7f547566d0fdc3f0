"""A real forward proxy for tests: mitmproxy in a process of its own, which leads to one address whatever is asked for.

Run as a script it is the process. Hosts under `.refused` get a 403, and those under `.lost` are at a port where nobody
listens. The proxy does not look into its tunnels.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from support.processes.forking import Forked


class ForwardProxy:
    """The process. `asked` says what tunnels were asked for."""

    def __init__(self, folder: Path, *, leads_to: int, credentials: str = "") -> None:
        self._folder: Final = folder / "forward"
        self._words: Final = [str(leads_to), str(self._folder), credentials]
        self.port = 0

    def __enter__(self) -> "ForwardProxy":
        self._folder.mkdir(exist_ok=True)
        reading, output = os.pipe()
        try:
            self._process = self._started(output)
        finally:
            os.close(output)
        self._said = os.fdopen(reading)
        self.port = int(self._said.readline())
        return self

    def _started(self, output: int) -> "subprocess.Popen[bytes] | Forked":
        from support.processes.forking import FORKS, Forked  # which the script has no way to import

        if FORKS:
            return Forked(
                self._words,
                command="forward proxy",
                folder=self._folder,
                variables=os.environ,
                output=output,
                errors=2,
            )
        return subprocess.Popen([sys.executable, __file__, *self._words], stdout=output)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        self._said.close()

    @property
    def asked(self) -> list[dict[str, Any]]:
        """What each request for a tunnel said: its host, and whether it had credentials."""
        log = self._folder / "asked"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def main(leads_to: str, folder: str, credentials: str) -> None:
    import asyncio

    from mitmproxy import http
    from mitmproxy.options import Options
    from mitmproxy.tools.dump import DumpMaster

    class Leads:
        """Leads each tunnel to the one address."""

        def http_connect(self, flow: http.HTTPFlow) -> None:
            with Path(folder, "asked").open("a") as log:
                told = "proxyauth" in flow.metadata
                log.write(json.dumps({"host": flow.request.host, "credentials": told}) + "\n")
            if flow.request.host.endswith(".refused"):
                flow.response = http.Response.make(403, b"CANARY")

        def server_connect(self, data: Any) -> None:
            host = data.server.address[0]
            data.server.address = ("127.0.0.1", 1 if host.endswith(".lost") else int(leads_to))

    async def run() -> None:
        options = Options(listen_host="127.0.0.1", listen_port=0, confdir=folder)
        master: Any = DumpMaster(options, with_termlog=False, with_dumper=False)
        master.addons.add(Leads())
        # Eager, so that a tunnel to nowhere is declined as other proxies do it.
        master.options.update(ignore_hosts=[".*"], connection_strategy="eager", http2=False)
        if credentials:
            master.options.update(proxyauth=credentials)
        running = asyncio.create_task(master.run())
        server = master.addons.get("proxyserver")
        while not server.listen_addrs():
            await asyncio.sleep(0.01)
        print(server.listen_addrs()[0][1], flush=True)
        await running

    asyncio.run(run())


if __name__ == "__main__":
    main(*sys.argv[1:])
