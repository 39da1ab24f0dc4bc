import { liveArea } from "./live-area.ts";
import { sizeOf } from "./output.ts";
import type { Output, OutputStream } from "./output.ts";
import { progressLines, waitingLine } from "./progress-lines.ts";
import { progressTree } from "./progress-tree.ts";
import type { ProgressTree } from "./progress-tree.ts";

/** Calls back at intervals until it is stopped. */
export type Ticker = (callback: () => void) => () => void;

/** The tree of the turn that runs, at the end of a terminal. Between turns there is none. */
export interface ProgressView {
  readonly begin: () => void;
  /** Shows what is waited for, in one line that goes; nothing takes it away. */
  readonly wait: (what: string | undefined) => void;
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
  let waiting: string | undefined;
  const draw = (): void => {
    const columns = sizeOf(terminal.columns) ?? DEFAULT_COLUMNS;
    const style = { colors, columns, frame };
    if (tree !== undefined) area.draw(progressLines(tree.nodes(), style));
    else if (waiting !== undefined) area.draw([waitingLine(waiting, style)]);
  };
  const run = (): void => {
    stop();
    stop = tick(() => {
      frame += 1;
      draw();
    });
  };
  const wait = (what: string | undefined): void => {
    if (waiting !== undefined) area.clear();
    if (waiting !== undefined && what === undefined) stop();
    waiting = what;
    if (what === undefined) return;
    run();
    draw();
  };
  const finish = (): void => {
    wait(undefined);
    if (tree === undefined) return;
    stop();
    draw();
    area.keep();
    tree = undefined;
  };
  return {
    begin: () => {
      finish();
      tree = progressTree();
      run();
      draw();
    },
    wait,
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
