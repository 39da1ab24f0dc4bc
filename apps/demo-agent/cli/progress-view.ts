import { liveArea } from "./live-area.ts";
import { sizeOf } from "./output.ts";
import type { Output, OutputStream } from "./output.ts";
import { progressLines } from "./progress-lines.ts";
import { progressTree } from "./progress-tree.ts";
import type { ProgressTree } from "./progress-tree.ts";

/** Calls back from time to time until it is told to stop. */
export type Ticker = (callback: () => void) => () => void;

/** The tree of the turn that runs, at the end of a terminal. Between turns there is none. */
export interface ProgressView {
  readonly begin: () => void;
  /** Leaves the tree as it is. */
  readonly finish: () => void;
  /** Changes the tree; it is drawn at the next tick. */
  readonly change: (change: (tree: ProgressTree) => void) => void;
  readonly draw: () => void;
  /** Writes lines that stay, above the tree. */
  readonly above: (write: () => void) => void;
}

const DEFAULT_COLUMNS = 80;

/** Opens a view at the end of a terminal. */
export function progressView(
  terminal: OutputStream,
  colors: Output["colors"],
  tick: Ticker,
): ProgressView {
  const area = liveArea(terminal);
  let tree: ProgressTree | undefined;
  let frame = 0;
  let stop = (): void => {};
  const draw = (): void => {
    const columns = sizeOf(terminal.columns) ?? DEFAULT_COLUMNS;
    if (tree !== undefined) area.draw(progressLines(tree.nodes(), { colors, columns, frame }));
  };
  const finish = (): void => {
    stop();
    if (tree === undefined) return;
    draw();
    area.keep();
    tree = undefined;
  };
  return {
    begin: () => {
      finish();
      tree = progressTree();
      stop = tick(() => {
        frame += 1;
        draw();
      });
    },
    finish,
    change: (change) => tree && change(tree),
    draw,
    above: (write) => {
      if (tree !== undefined) area.clear();
      write();
      draw();
    },
  };
}
