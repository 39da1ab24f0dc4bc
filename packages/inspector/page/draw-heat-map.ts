import type { InspectorData } from "../src/inspector-data.ts";
import { decisionAt, rowKind, rowLine } from "./cells.ts";

/** Positions on the canvas, in CSS pixels. */
export interface MapLayout {
  readonly width: number;
  readonly height: number;
  readonly labelWidth: number;
  readonly cellWidth: number;
  /** The top of each row, and the bottom of the last one. */
  readonly tops: Float64Array;
  readonly scrollLeft: number;
  readonly scrollTop: number;
  readonly selected: { readonly row: number; readonly call: number };
}

/** The minimum height of rows that show their text. */
const TEXT_HEIGHT = 14;

/** Draws the visible part of the map. Cost depends on the canvas size, not on the log. */
export function drawHeatMap(
  canvas: HTMLCanvasElement,
  all: InspectorData,
  layout: MapLayout,
): void {
  const context = canvas.getContext("2d");
  if (context === null) return;
  const { width, height, tops, scrollTop } = layout;
  const colors = stateColors();
  const scale = globalThis.devicePixelRatio;
  const [wide, high] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  const { fontFamily, color } = getComputedStyle(canvas);
  context.font = `12px ${fontFamily}`;
  context.strokeStyle = color;
  context.textBaseline = "middle";
  // If rows are thinner than a pixel, draw one per pixel.
  let row = rowAt(tops, scrollTop);
  while (row < all.entries.length) {
    const y = (tops[row] ?? 0) - scrollTop;
    if (y >= height) break;
    const step = Math.max(1, (tops[row + 1] ?? 0) - (tops[row] ?? 0));
    if (step >= TEXT_HEIGHT) drawLabel(context, all, { layout, row, y, step });
    drawCells(context, all, { layout, row, y, step }, colors);
    row = Math.max(row + 1, rowAt(tops, scrollTop + y + 1));
  }
  drawSelection(context, layout);
}

/** Reads the color of each state from the legend, because a canvas cannot use custom properties. */
function stateColors(): ReadonlyMap<string, string> {
  const swatches = [...document.querySelectorAll<HTMLElement>(".legend [data-state]")];
  return new Map(
    swatches.map((one) => [one.dataset["state"] ?? "", getComputedStyle(one).backgroundColor]),
  );
}

interface RowPlace {
  readonly layout: MapLayout;
  readonly row: number;
  readonly y: number;
  readonly step: number;
}

function drawCells(
  context: CanvasRenderingContext2D,
  { calls }: InspectorData,
  { layout, row, y, step }: RowPlace,
  colors: ReadonlyMap<string, string>,
): void {
  const { width, labelWidth, cellWidth, scrollLeft } = layout;
  const gap = cellWidth >= 6 ? 1 : 0;
  const rowGap = step >= 4 ? 1 : 0;
  for (let call = Math.floor(scrollLeft / cellWidth); call < calls.length; call++) {
    const x = labelWidth + call * cellWidth - scrollLeft;
    if (x >= width) return;
    const column = calls[call];
    const decision = column && decisionAt(column, row);
    if (decision === undefined) continue;
    context.fillStyle = colors.get(decision.state) ?? "";
    const left = Math.max(x, labelWidth);
    context.fillRect(left, y, x + cellWidth - gap - left, step - rowGap);
  }
}

function drawLabel(
  context: CanvasRenderingContext2D,
  all: InspectorData,
  { layout, row, y, step }: RowPlace,
): void {
  const { width, labelWidth } = layout;
  const kind = rowKind(all, row);
  const middle = y + Math.min(step, 18) / 2;
  const split = Math.min(labelWidth * 0.6, 12 + context.measureText(kind).width);
  context.fillStyle = context.strokeStyle;
  context.globalAlpha = 0.7;
  context.fillText(isolated(kind), 4, middle);
  context.clearRect(split - 6, y, width, step);
  context.globalAlpha = 1;
  context.fillText(isolated(rowLine(all, row).slice(0, 80)), split, middle);
  // The cells are drawn over what is longer.
  context.clearRect(labelWidth - 8, y, width, step);
}

/** Removes bidirectional control characters, because nothing ends them on a canvas. */
function isolated(text: string): string {
  return text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, "");
}

function drawSelection(context: CanvasRenderingContext2D, layout: MapLayout): void {
  const { width, height, labelWidth, cellWidth, tops, scrollLeft, scrollTop, selected } = layout;
  const x = labelWidth + selected.call * cellWidth - scrollLeft;
  const top = tops[selected.row] ?? 0;
  const y = top - scrollTop;
  if (x >= labelWidth) context.strokeRect(x - 0.5, -2, cellWidth, height + 4);
  context.strokeRect(0.5, y - 0.5, width - 1, Math.max(2, (tops[selected.row + 1] ?? 0) - top));
}

/** Row heights: equal, proportional to tokens, or so that the whole log is visible. */
export type RowMode = "even" | "tokens" | "whole";

const ROW_HEIGHT = 18;
const HIGHEST = 160;

/** Returns the top of each row in pixels, and the bottom of the last one. */
export function rowTops(tokens: readonly number[], mode: RowMode, room: number): Float64Array {
  const tops = new Float64Array(tokens.length + 1);
  const mean = tokens.reduce((sum, one) => sum + one, 0) / Math.max(1, tokens.length);
  const even =
    mode === "whole" ? Math.min(ROW_HEIGHT, room / Math.max(1, tokens.length)) : ROW_HEIGHT;
  for (const [row, count] of tokens.entries()) {
    const high = Math.max(4, Math.min(HIGHEST, (ROW_HEIGHT * count) / Math.max(1, mean)));
    tops[row + 1] = (tops[row] ?? 0) + (mode === "tokens" ? high : even);
  }
  return tops;
}

/** Returns the row at a height. Logarithmic. */
export function rowAt(tops: Float64Array, height: number): number {
  let [low, high] = [0, tops.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((tops[middle] ?? 0) <= height) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}
