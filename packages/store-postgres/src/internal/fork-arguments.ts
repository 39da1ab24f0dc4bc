import type { ForkedIndex } from "@agent-history/store-kit";

import { checksumOf } from "./checksum.ts";
import { indexArguments } from "./index-arguments.ts";
import { rowKey } from "./row-key.ts";

/** Writes a fork's index as the function takes it. */
export function forkArguments(fork: ForkedIndex): object {
  return {
    ...indexArguments(fork),
    summaries: fork.overlays.map(({ id, view, json }, nth) => ({
      nth,
      id: rowKey(id),
      view: rowKey(view),
      checksum: checksumOf(json),
      json,
    })),
    views: [...fork.states].map(([view, state]) => ({ view: rowKey(view), state })),
  };
}
