import type { CellState, InspectorData } from "../src/inspector-data.ts";
import { decisionAt, rowKind, rowLine } from "./cells.ts";
import { rowAt } from "./row-tops.ts";

/** Where things are on the canvas, in CSS pixels. */
export interface MapLayout {
  readonly width: number;
  readonly height: number;
  readonly labelWidth: number;
  readonly cellWidth: number;
  /** Where each row begins, and where the last one ends. */
  readonly tops: Float64Array;
  readonly scrollLeft: number;
  readonly scrollTop: number;
  readonly selected: { readonly row: number; readonly call: number };
}

/** Rows of this height have their text beside them. */
const TEXT_HEIGHT = 14;

/** Draws the part of the map that is in view: work is bounded by the canvas, not by the log. */
export function drawHeatMap(
  canvas: HTMLCanvasElement,
  all: InspectorData,
  layout: MapLayout,
): void {
  const context = canvas.getContext("2d");
  if (context === null) return;
  const { width, height, tops, scrollTop } = layout;
  const scale = globalThis.devicePixelRatio;
  const [wide, high] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  const colors = colorsOf(canvas);
  context.font = `12px ${getComputedStyle(canvas).fontFamily}`;
  context.textBaseline = "middle";
  // Of rows thinner than a pixel, one of each pixel is drawn.
  let row = rowAt(tops, scrollTop);
  while (row < all.entries.length) {
    const y = (tops[row] ?? 0) - scrollTop;
    if (y >= height) break;
    const step = Math.max(1, (tops[row + 1] ?? 0) - (tops[row] ?? 0));
    drawCells(context, all, { layout, colors, row, y, step });
    if (step >= TEXT_HEIGHT) drawLabel(context, all, { layout, colors, row, y, step });
    row = Math.max(row + 1, rowAt(tops, scrollTop + y + 1));
  }
  drawSelection(context, layout, colors);
}

interface RowPlace {
  readonly layout: MapLayout;
  readonly colors: MapColors;
  readonly row: number;
  readonly y: number;
  readonly step: number;
}

function drawCells(
  context: CanvasRenderingContext2D,
  { calls }: InspectorData,
  { layout, colors, row, y, step }: RowPlace,
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
    context.fillStyle = colors.states[decision.state];
    const left = Math.max(x, labelWidth);
    context.fillRect(left, y, x + cellWidth - gap - left, step - rowGap);
  }
}

function drawLabel(
  context: CanvasRenderingContext2D,
  all: InspectorData,
  { layout, colors, row, y, step }: RowPlace,
): void {
  const { labelWidth } = layout;
  const kind = rowKind(all, row);
  const high = Math.min(step, 18);
  const split = Math.min(labelWidth * 0.6, 12 + context.measureText(kind).width);
  context.fillStyle = colors.quiet;
  fillClipped(context, kind, { x: 4, y, width: split - 10, height: high });
  context.fillStyle = colors.text;
  const text = rowLine(all, row).slice(0, 80);
  fillClipped(context, text, { x: split, y, width: labelWidth - 8 - split, height: high });
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Marks that turn the direction of a text around are left out: a canvas has nothing that ends them. */
function fillClipped(context: CanvasRenderingContext2D, text: string, box: Box): void {
  const { x, y, width, height } = box;
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.fillText(text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, ""), x, y + height / 2);
  context.restore();
}

function drawSelection(
  context: CanvasRenderingContext2D,
  layout: MapLayout,
  colors: MapColors,
): void {
  const { width, height, labelWidth, cellWidth, tops, scrollLeft, scrollTop, selected } = layout;
  context.strokeStyle = colors.text;
  const x = labelWidth + selected.call * cellWidth - scrollLeft;
  const top = tops[selected.row] ?? 0;
  const y = top - scrollTop;
  if (x >= labelWidth) context.strokeRect(x - 0.5, -2, cellWidth, height + 4);
  context.strokeRect(0.5, y - 0.5, width - 1, Math.max(2, (tops[selected.row + 1] ?? 0) - top));
}

interface MapColors {
  readonly states: Readonly<Record<CellState, string>>;
  readonly text: string;
  readonly quiet: string;
}

/** Canvases know no custom properties: they are read as the theme has them. */
function colorsOf(canvas: HTMLCanvasElement): MapColors {
  const style = getComputedStyle(canvas);
  const of = (name: string): string => style.getPropertyValue(`--${name}`);
  const states: Readonly<Record<CellState, string>> = {
    kept: of("kept"),
    shrunk: of("shrunk"),
    cleared: of("cleared"),
    summarized: of("summarized"),
    dropped: of("dropped"),
    recalled: of("recalled"),
    repaired: of("repaired"),
  };
  return { states, text: of("text"), quiet: of("quiet") };
}
