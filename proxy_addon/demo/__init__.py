"""`toolreel demo`: the whole job on one machine, with bundled turns and nothing from outside."""
