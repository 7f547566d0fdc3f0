"""`toolreel demo`: records, redacts and replays bundled turns, on one machine and with nothing from outside."""
