"""The checks of the variables of a shell: whether they lead its clients to the recorder. No value is repeated."""

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from proxy_addon.recorder.banner import env_options
from proxy_addon.setup import authority, proxies
from proxy_addon.setup.diagnosis import Diagnosis, bad, good, note
from proxy_addon.setup.shells import BUNDLES, base_urls
from proxy_addon.upstreams import BUILT_IN, Upstream


def variables(environment: Mapping[str, str], origin: str, upstreams: Sequence[Upstream]) -> Iterator[Diagnosis]:
    """The diagnoses of all variables: whether they lead to the recorder at `origin`, and whether they fit together."""
    mend = f'eval "$(toolreel env{env_options(origin)})"'
    yield from _base_urls(environment, origin, mend)
    yield from _proxy(environment, origin, mend)
    leads = _leads(environment, origin)
    if leads:
        yield from _kept_away(environment, upstreams, mend)
    bundle = authority.authority_folder() / authority.BUNDLE_FILE
    for name in BUNDLES:
        if environment.get(name) == str(bundle):
            if not bundle.is_file():
                yield bad(name, "names the bundle of toolreel, which is gone: HTTPS fails", mend)
        elif leads:
            yield bad(name, "is not the bundle of toolreel: HTTPS through the recorder fails", mend)


def _base_urls(environment: Mapping[str, str], origin: str, mend: str) -> Iterator[Diagnosis]:
    led = False
    for name, wanted in base_urls(origin).items():
        value = environment.get(name)
        if value is None:
            yield note(name, f"not set here; for this recorder: {wanted}")
        elif value.rstrip("/") != wanted:
            yield bad(name, "is set, and leads elsewhere", mend)
        else:
            led = True
            yield good(name, "leads to the recorder")
    parts = urlsplit(origin)
    host = parts.hostname or ""
    if led and not proxies.spares(environment, host, scheme=parts.scheme):
        kind = "HTTPS" if parts.scheme == "https" else "plain HTTP"
        said = f"does not name {host}, so a proxy for {kind} gets what the base URLs are to bring to the recorder"
        yield bad("NO_PROXY", said, mend)


def _set(environment: Mapping[str, str], name: str) -> dict[str, str]:
    return {one: value for one, value in proxies.spelled(environment, name).items() if value}


def _leads(environment: Mapping[str, str], origin: str) -> bool:
    """Whether HTTPS of some client goes to the recorder."""
    found = _set(environment, proxies.HTTPS) or _set(environment, proxies.ALL)
    return any(proxies.leads_to(value, origin) for value in found.values())


def _proxy(environment: Mapping[str, str], origin: str, mend: str) -> Iterator[Diagnosis]:
    thing = proxies.HTTPS.upper()
    leads = _leads(environment, origin)
    if not _set(environment, proxies.HTTPS):
        if not _set(environment, proxies.ALL):
            yield note(thing, f"not set here; for this recorder: {origin}")
        elif leads:
            yield note(thing, f"not set here; ALL_PROXY leads to the recorder, but some clients read {thing} alone")
        else:
            yield bad("ALL_PROXY", f"leads elsewhere, and {thing}, which goes before it, is not set", mend)
        return
    found = proxies.spelled(environment, proxies.HTTPS)
    # An upper-case name without a value is as good as none; a lower-case one hides the other name from some clients.
    astray = [
        one for one, value in found.items() if not proxies.leads_to(value, origin) and (value or one == proxies.HTTPS)
    ]
    if not leads:
        yield bad(thing, "is set, and leads elsewhere", mend)
    elif astray:
        other = next(one for one in found if one not in astray)
        said = f"{other} leads to the recorder, {astray[0]} does not, and clients differ in which they read first"
        yield bad(thing, said, mend)
    else:
        yield good(thing, "leads to the recorder")


def _kept_away(environment: Mapping[str, str], upstreams: Sequence[Upstream], mend: str) -> Iterator[Diagnosis]:
    known = {one.host for one in BUILT_IN.values()}
    for name, value in _set(environment, proxies.EXCEPT).items():
        away = proxies.kept_away(value, upstreams)
        if not away:
            yield good(name, "keeps no upstream from the recorder")
            continue
        # `toolreel env` knows the hosts of the built-in upstreams alone.
        how = mend if known.issuperset(away) else "take out the entries that cover them"
        yield bad(name, f"keeps from the recorder: {', '.join(dict.fromkeys(away))}", how)
