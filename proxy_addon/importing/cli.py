"""`toolreel import`: reads and checks its options, imports the sources, prints a line for each entry and the totals."""

import contextlib
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, TypedDict, Unpack

import click

from proxy_addon.contract.cli import ContractCommand, contract, contract_options
from proxy_addon.importing import contents, paths, recognition, sources
from proxy_addon.importing.deciding import Ready
from proxy_addon.importing.entries import Entry, SourceError
from proxy_addon.importing.importer import Importer, Naming
from proxy_addon.importing.paths import Found
from proxy_addon.importing.readers.formats import Format
from proxy_addon.importing.recognition import Claim
from proxy_addon.importing.running import BODIES, Advance, Deciding, Run, Say
from proxy_addon.importing.sources import Source
from proxy_addon.recorder.settings import options
from proxy_addon.silence import silence_process
from proxy_addon.writing.cases import CASE_NAME, CASE_NAME_SAID
from proxy_addon.writing.cli import out_option
from proxy_addon.writing.redacting.exchanges import MAX_REQUEST_BYTES
from proxy_addon.writing.storage import sinks
from proxy_addon.writing.storage.folder import Recorded
from proxy_addon.writing.storage.room import Limits
from proxy_addon.writing.storage.sink import Sink
from redaction.captured.exchange import RUNGS, Ending, Pieces, Widths
from redaction.fixture import digest_of
from redaction.redactor import MAX_BODY_BYTES
from replay import garbage, processes
from replay.errors import ToolreelError, translated
from replay.families import FAMILIES
from replay.terminal import printable

# What the command line calls the ends of a transport.
ENDINGS: Final = {"complete": Ending.WHOLE, "client": Ending.CLIENT, "upstream": Ending.UPSTREAM}


class _Given(TypedDict):
    """The arguments and options as click gives them."""

    files: tuple[Path, ...]
    out: Path | str
    request: Path | None
    profile: str | None
    provider: str | None
    content_type: str | None
    content_coding: str | None
    end: str | None
    schemas: Path | None
    lengths: str
    pieces: str
    rung: str
    rename_contract: str | None
    all_tools: bool
    keep_timing: bool
    keep_reads: bool
    case: str | None
    case_from: str | None
    format_: str | None
    rewrite: bool
    max_fixtures: int
    jobs: str


@click.command("import", cls=ContractCommand)
@click.argument("files", metavar="SOURCE...", nargs=-1, required=True, type=click.Path(path_type=Path, readable=False))
@out_option
@click.option(
    "--request",
    type=click.Path(path_type=Path, readable=False),
    help="JSON file: the request body that a response body answers.",
)
@click.option(
    "--profile",
    metavar="PROFILE",
    type=click.Choice(list(FAMILIES)),
    help="The wire family of all sources. By default that of the provider, by host, or of the path. "
    f"One of {', '.join(FAMILIES)}.",
)
@click.option(
    "--provider", metavar="NAME", help="The provider of all sources, with its known deviations. By default by host."
)
@click.option(
    "--content-type", metavar="TYPE", help="The Content-Type that responses came with, whatever a source says."
)
@click.option(
    "--content-coding", metavar="CODING", help="The Content-Encoding that is still on a response body; gzip is seen."
)
@click.option(
    "--end",
    type=click.Choice(list(ENDINGS)),
    help="How the responses ended: as HTTP says, or cut by one side. By default, but for flow files, which know, a "
    "stream is complete only with its own end marker: no other file tells a finished response from a cut one.",
)
@click.option(
    "--schemas",
    type=click.Path(path_type=Path, readable=False),
    help="JSON file, tool name to schema, for tools that requests lack.",
)
@click.option(
    "--lengths",
    type=click.Choice([found.value for found in Widths]),
    default=Widths.DROPPED.value,
    show_default=True,
    help="exact keeps the widths of text and arguments, which can tell what was said; the fixture says so.",
)
@click.option(
    "--pieces",
    type=click.Choice([found.value for found in Pieces]),
    default=Pieces.ROUNDED.value,
    show_default=True,
    help="How many text deltas a turn without calls and findings keeps: rounded down to 1, 2, 4, 8 and so on, or all.",
)
@click.option(
    "--rung",
    type=click.Choice(RUNGS),
    default=RUNGS[-1],
    show_default=True,
    help="The last rung of redaction that may be taken; canonical refuses a turn rather than tell any length.",
)
@contract_options
@click.option(
    "--keep-timing", is_flag=True, help="Keep when events came, in steps of 100 ms; that can tell what was said."
)
@click.option(
    "--keep-reads", is_flag=True, help="Keep where network reads ended, by place; that can tell what was said."
)
@click.option("--case", metavar="NAME", help="Name of the fixture of a single source; a second turn gets NAME+2.")
@click.option(
    "--case-from",
    type=click.Choice([found.value for found in Naming]),
    help="file names each fixture after its source, shape after provider, model and digest. By default a turn that is "
    "alone in its source is named after that, where its shape is new.",
)
@click.option(
    "--rewrite", is_flag=True, help="Record a case anew where its turns are others now; by default its files stay."
)
@click.option(
    "--format",
    "format_",
    type=click.Choice([found.value for found in Format]),
    help="What the sources are: a response body, JSON (HAR or cassette), a YAML cassette or mitmproxy's flows. By "
    "default by how they start.",
)
@click.option(
    "--max-fixtures", type=click.IntRange(1), default=10_000, show_default=True, help="Most files written in one run."
)
@click.option(
    "--jobs", metavar="N", default="1", show_default=True, help="Processes to redact in; auto: one for each processor."
)
@click.pass_context
def import_command(ctx: click.Context, **given: Unpack[_Given]) -> None:
    """Turn recordings of other tools into data-only fixtures, through the same redaction as `toolreel record`.

    A SOURCE is a HAR file, a VCR cassette (YAML needs the extra `import`), a flow file of mitmproxy (needs the extra
    `record`), or the body of a streamed response (then name its --profile, and its --request where it is there).
    Streamed turns are recognised as by the recorder; everything else in a source is passed over. One line is printed
    for each exchange, with nothing of what is in it.

    Exit codes: 0, every turn found is in a fixture; 1, one was refused, dropped, not usable, or is another one than
    its case was recorded with; 2, an argument is wrong,
    or a source cannot be read, or not to its end (what came before the broken place is imported).
    """
    silence_process()
    jobs = processes.number(given["jobs"])
    claim = Claim(provider=_provider(given["provider"]), profile=given["profile"])
    _check_case(given["case"])
    format_ = Format(given["format_"]) if given["format_"] else None
    found = paths.find(given["files"], format_)
    if given["case"] is not None and len(found) > 1:
        raise options.OptionError("--case", given["case"], "names the fixture of one SOURCE; --case-from names many")
    bodies = _Bodies(claim, given)
    found = bodies.checked(found)
    run = _run(found, claim, bodies, given, jobs)
    with garbage.relaxed(), _progress(found) as (advance, say):
        broken = run.all(advance, say)
    for line in run.importer.lines():
        click.echo(printable(line))
    for line in broken:
        click.echo(f"Error: {printable(line)}", err=True)
    ctx.exit(2 if broken else 0 if run.importer.clean else 1)


def _run(found: Sequence[Found], claim: Claim, bodies: "_Bodies", given: _Given, jobs: int) -> Run:
    end, widths = given["end"], Widths(given["lengths"])
    ending, naming = ENDINGS[end] if end else None, _naming(given)
    deciding = Deciding(
        widths=widths,
        pieces=Pieces(given["pieces"]),
        last=options.last_rung(given["rung"], widths),
        contract=contract(given["rename_contract"], given["all_tools"]),
        kept=options.kept(timing=given["keep_timing"], reads=given["keep_reads"]),
        schemas=options.schemas(given["schemas"]),
        claim=claim,
        ending=ending,
        content_type=given["content_type"],
    )
    importer = Importer(folder=_folder(given), ending=ending, case=given["case"], naming=naming)
    return Run(found=found, importer=importer, naming=naming, ready=bodies.ready, deciding=deciding, jobs=jobs)


def _folder(given: _Given) -> Sink:
    return sinks.opened(
        given["out"],
        digest_of=digest_of,
        limits=Limits(files=given["max_fixtures"]),
        recorded=Recorded.ANEW if given["rewrite"] else Recorded.STAYS,
        tell=lambda about, says: click.echo(printable(f"toolreel: {about}: {says}"), err=True),
    )


def _naming(given: _Given) -> Naming | None:
    """How fixtures are named; None where nothing says it: a turn that is alone in its source after that."""
    if given["case"] is not None and given["case_from"] is not None:
        raise ToolreelError("--case and --case-from: a fixture has one name; leave one of them out")
    return Naming.SHAPE if given["case"] is not None else Naming(given["case_from"]) if given["case_from"] else None


class _Bodies:
    """What the user says of the sources that are bodies: their turn, request and headers."""

    def __init__(self, claim: Claim, given: _Given) -> None:
        self._turn = recognition.declared(claim)
        self._request = _request(given["request"])
        headers = (("content-type", given["content_type"]), ("content-encoding", given["content_coding"]))
        self._coding = given["content_coding"]
        self._headers = tuple((name, value) for name, value in headers if value)

    def checked(self, found: Sequence[Found]) -> list[Found]:
        """The sources that can be imported; an error where the options do not fit one that was named."""
        bodies = [one for one in found if one.source.format in BODIES]
        named = next((one.source for one in bodies if one.named), None)
        if self._turn is None and named is not None:
            raise SourceError(named.path, _missing(named))
        if not bodies and (self._request is not None or self._coding is not None):
            raise ToolreelError(
                "--request and --content-coding: these are for response bodies, and no source here looks like one; "
                "--format body says that it is one"
            )
        if self._request is not None and len(bodies) > 1:
            raise ToolreelError("--request: one request has one response body; import the others on their own")
        for one in bodies if self._turn is None else ():
            click.echo(printable(f"{one.source.path}: passed over, {_missing(one.source)}"))
        return [one for one in found if self._turn is not None or one not in bodies]

    def ready(self, source: Source, advance: Advance) -> Ready:
        """The turn that one body is."""
        assert self._turn is not None  # `checked` came first
        entry = Entry(
            method="POST",
            url="",
            request_headers=(),
            request_body=self._request,
            status=200,
            response_headers=self._headers,
            body=sources.body(source, limit=MAX_BODY_BYTES, advance=advance),
        )
        return Ready(entry=entry, recognised=self._turn)


def _missing(source: Source) -> str:
    """What a body is of which no option names the family: one that is no stream, or what to say about it."""
    if not source.size:
        return "is empty, so there is no event in it; record again"
    start = sources.body(source, limit=contents.HEAD_BYTES, advance=lambda _: None)
    found = contents.families_of(start)
    if found:
        return f"a response body; name its family with --profile {'|'.join(found)}, which its payloads look like"
    why = contents.no_stream(start)
    return f"a response body; name its family with --profile {'|'.join(FAMILIES)}" if why is None else why.value


def _request(path: Path | None) -> bytes | None:
    """The request body of `--request`, seen to be a JSON object."""
    if path is None:
        return None
    data = sources.body(sources.look(path, Format.BODY), limit=MAX_REQUEST_BYTES, advance=lambda _: None)
    refused = options.OptionError("--request", str(path), "no JSON object; expected the body that the client sent")
    with translated((ValueError, RecursionError), lambda _: refused):
        asked = json.loads(data)
    if not isinstance(asked, dict):
        raise refused
    return data


def _provider(name: str | None) -> str | None:
    if name is not None and not options.UPSTREAM_NAME.fullmatch(name):
        raise options.OptionError("--provider", name, "expected 1 to 32 of a-z 0-9 -, the first no -")
    return name


def _check_case(case: str | None) -> None:
    if case is None:
        return
    if not CASE_NAME.fullmatch(case):
        raise options.OptionError("--case", case, f"expected {CASE_NAME_SAID}")


@contextlib.contextmanager
def _progress(found: Sequence[Found]) -> Iterator[tuple[Advance, Say]]:
    """A bar over all bytes of the sources where standard error is a terminal; the lines go to standard output."""
    if not sys.stderr.isatty():
        yield (lambda _: None), (lambda line: click.echo(printable(line)))
        return
    with click.progressbar(length=sum(one.source.size for one in found), label="importing", file=sys.stderr) as bar:

        def say(line: str) -> None:
            click.echo("\r\x1b[K", err=True, nl=False)  # the bar comes back, behind the line, when it moves
            click.echo(printable(line))

        yield bar.update, say
