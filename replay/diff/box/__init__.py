"""The box that an adapter's process runs in: what the system itself can keep it from, in any language.

`boxed` is the side of `toolreel diff`: it starts a `launcher` in a process of its own and hears from it. The launcher
shuts itself in (`namespaces`, `landlock`, `sockets`, each a few calls of the system by `system`), starts the adapter's
command, and ends with everything that the command started. `lacks` has a sentence for each thing that a system has no
means for.
"""
