"""The mitmproxy that the recorder embeds, streaming, with nothing of ours: benchmarks compare with it. A script."""

import asyncio
import sys

from mitmproxy.options import Options
from mitmproxy.tools.dump import DumpMaster


class Streams:
    """Has every body stream."""

    def responseheaders(self, flow) -> None:  # type: ignore[no-untyped-def]
        flow.response.stream = True


async def main() -> None:
    options = Options(mode=[f"reverse:{sys.argv[1]}"], listen_host="127.0.0.1", listen_port=0)
    master = DumpMaster(options, with_termlog=False, with_dumper=False)
    master.addons.add(Streams())
    master.options.update(connection_strategy="lazy", http2=False)
    running = asyncio.create_task(master.run())
    server = master.addons.get("proxyserver")
    while not server.listen_addrs():
        await asyncio.sleep(0.01)
    print(server.listen_addrs()[0][1], flush=True)
    await running


if __name__ == "__main__":
    asyncio.run(main())
