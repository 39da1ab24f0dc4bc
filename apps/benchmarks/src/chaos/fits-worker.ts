import process from "node:process";

import { runShare } from "./run-share.ts";
import type { Share } from "./run-share.ts";

/** Runs the shares that its parent sends, and sends back what came of each. */
process.on("message", (share: Share) => {
  process.send?.(runShare(share));
});
