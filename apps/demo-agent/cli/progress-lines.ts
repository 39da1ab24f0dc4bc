import { fitLine } from "./fit-line.ts";
import { printable } from "./output.ts";
import type { Output } from "./output.ts";
import type { ProgressNode } from "./progress-tree.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
const NAME_WIDTH = 20;

/** How progress is drawn. */
export interface ProgressStyle {
  readonly colors: Output["colors"];
  /** The width of the terminal. */
  readonly columns: number;
  /** Which picture of the spinner, counted from 0. */
  readonly frame: number;
}

/** Draws nodes as lines, each within the width, work that is part of other work indented below it. */
export function progressLines(
  nodes: readonly ProgressNode[],
  style: ProgressStyle,
  depth = 0,
): readonly string[] {
  return nodes.flatMap((node) => [
    drawNode(node, style, depth),
    ...progressLines(node.children, style, depth + 1),
  ]);
}

/** Draws what is waited for before there is work to show. */
export function waitingLine(what: string, { colors, columns, frame }: ProgressStyle): string {
  const mark = colors.cyan(FRAMES[frame % FRAMES.length] ?? "");
  return `${mark} ${fitLine(printable(what), Math.max(columns - 3, 1))}`;
}

function drawNode(node: ProgressNode, style: ProgressStyle, depth: number): string {
  const { colors, columns, frame } = style;
  const marks = {
    waiting: colors.dim("·"),
    running: colors.cyan(FRAMES[frame % FRAMES.length] ?? ""),
    done: colors.green("✔"),
    failed: colors.red("✘"),
  };
  const indent = "  ".repeat(depth);
  const name = printable(node.name).padEnd(NAME_WIDTH - indent.length);
  const detail = oneLine(printable(node.detail), node.state === "running");
  // A line as wide as the terminal would wrap.
  const fitted = fitLine(`${name} ${detail}`, Math.max(columns - indent.length - 3, 1));
  const shown = fitted.slice(0, name.length) + colors.dim(fitted.slice(name.length));
  return `${indent}${marks[node.state]} ${shown}`;
}

/** Of what is being written, the end is news. */
function oneLine(text: string, isRunning: boolean): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const tail = /^writes: (.*)$/.exec(line)?.[1];
  return isRunning && tail !== undefined ? `writes … ${tail.slice(-60)}` : line;
}
