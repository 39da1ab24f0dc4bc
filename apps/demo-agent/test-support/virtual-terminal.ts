import xterm from "@xterm/headless";

import type { OutputStream } from "../cli/output.ts";

/** A terminal without a window: what is written to it, and what a person would see. */
export interface VirtualTerminal extends OutputStream {
  /** Everything that can be scrolled to, line by line, without the empty ones at the end. */
  readonly lines: () => Promise<readonly string[]>;
  /** How many lines the terminal itself has broken, wherever a word was. */
  readonly wrappedLines: () => Promise<number>;
  /** Titles that were set: a program that only prints sets none. */
  readonly titles: readonly string[];
  readonly resize: (columns: number, rows: number) => void;
}

/** Opens a virtual terminal. */
export function virtualTerminal(columns: number, rows: number): VirtualTerminal {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 10_000,
    convertEol: true,
    allowProposedApi: true,
  });
  const titles: string[] = [];
  const settled = async (): Promise<void> =>
    new Promise((resolve) => {
      terminal.write("", resolve);
    });
  terminal.onTitleChange((title) => titles.push(title));
  return {
    isTTY: true,
    get columns() {
      return terminal.cols;
    },
    get rows() {
      return terminal.rows;
    },
    write: (text) => terminal.write(text),
    titles,
    resize: (cols, toRows) => terminal.resize(cols, toRows),
    wrappedLines: async () => {
      await settled();
      const buffer = terminal.buffer.active;
      const all = Array.from({ length: buffer.length }, (_, row) => buffer.getLine(row));
      return all.filter((line) => line?.isWrapped === true).length;
    },
    lines: async () => {
      await settled();
      const buffer = terminal.buffer.active;
      const all = Array.from({ length: buffer.length }, (_, row) =>
        (buffer.getLine(row)?.translateToString(true) ?? "").trimEnd(),
      );
      return all.slice(0, all.findLastIndex((line) => line !== "") + 1);
    },
  };
}
