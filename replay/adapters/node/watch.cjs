// Runs in a thread of its own, beside an adapter that may never come back: ends the process once its parent is gone.
"use strict";

const { workerData } = require("node:worker_threads");

// How often it looks. A parent that is gone has nobody waiting for this.
const MILLISECONDS = 500;

setInterval(() => {
  if (process.ppid !== workerData.parent) {
    try {
      process.kill(-process.pid, "SIGKILL");
    } catch {
      process.kill(process.pid, "SIGKILL"); // it leads no group
    }
  }
}, MILLISECONDS);
