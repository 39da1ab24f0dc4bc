import { Writable } from "node:stream";

import { createLogUpdate } from "log-update";

import { sizeOf } from "./output.ts";
import type { OutputStream } from "./output.ts";

/** The last lines of a terminal, which are drawn again and again. */
export interface LiveArea {
  readonly draw: (lines: readonly string[]) => void;
  /** Takes them away, so that other lines can be written. */
  readonly clear: () => void;
  /** Leaves them where they are; what is drawn next stands below. */
  readonly keep: () => void;
}

/** Opens a live area at the end of a terminal. */
export function liveArea(terminal: OutputStream): LiveArea {
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      terminal.write(String(chunk));
      done();
    },
  });
  // Asked for each time: a window changes its size.
  Object.defineProperties(stream, {
    isTTY: { value: true },
    columns: { get: () => sizeOf(terminal.columns) },
    rows: { get: () => sizeOf(terminal.rows) },
  });
  // A hidden cursor is shown again by a handler of signals, which would end the process at the first Ctrl-C.
  const update = createLogUpdate(stream, { showCursor: true });
  return {
    draw: (lines) => update(lines.join("\n")),
    clear: () => update.clear(),
    keep: () => update.done(),
  };
}
