import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";

import { CellDetails } from "./cell-details.tsx";
import { Choices } from "./controls.tsx";
import { drawHeatMap, rowAt, rowTops } from "./draw-heat-map.ts";
import type { MapLayout, RowMode } from "./draw-heat-map.ts";
import { Legend } from "./legend.tsx";
import { call, data, select, selectedCall, selectedRow } from "./page-state.ts";
import { intoView, useSize } from "./virtual-list.tsx";
import type { Size } from "./virtual-list.tsx";

const mode = signal<RowMode>("even");
const MODES: Readonly<Record<RowMode, string>> = {
  even: "equal rows",
  tokens: "rows by tokens",
  whole: "whole log",
};

const MODE_NAMES = ["even", "tokens", "whole"] as const;

/** Shows entries as rows and calls as columns, beside the details of the selection. */
export function HeatMapView(): JSX.Element {
  return (
    <>
      <div class="bar">
        <Legend column={call.value} />
        <Choices
          label="Row height"
          names={MODE_NAMES}
          chosen={mode.value}
          choose={(name) => (mode.value = name)}
          text={(name) => MODES[name]}
        />
      </div>
      <div class="split">
        <HeatMap />
        <CellDetails />
      </div>
    </>
  );
}

function HeatMap(): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(box);
  const { tokens, calls } = data.value;
  const { labelWidth, cellWidth } = cellSizes(size);
  const tops = useMemo(
    () => rowTops(tokens, mode.value, size.height),
    [tokens, mode.value, mode.value === "whole" && size.height],
  );
  const selected = { row: selectedRow.value, call: selectedCall.value };
  const layoutOf = (at: HTMLDivElement): MapLayout => {
    const { scrollLeft, scrollTop } = at;
    return { ...size, labelWidth, cellWidth, tops, scrollLeft, scrollTop, selected };
  };
  const draw = (): void => {
    if (canvas.current && box.current)
      drawHeatMap(canvas.current, data.value, layoutOf(box.current));
  };
  useEffect(draw);
  useEffect(() => {
    const at = box.current;
    if (!at || size.height === 0) return;
    const layout = layoutOf(at);
    const top = tops[selected.row] ?? 0;
    const high = Math.min(size.height, (tops[selected.row + 1] ?? 0) - top);
    at.scrollTop = intoView(layout.scrollTop, top, size.height - high);
    at.scrollLeft = intoView(
      layout.scrollLeft,
      selected.call * cellWidth,
      size.width - labelWidth - cellWidth,
    );
  }, [selected.row, selected.call, tops, size.height > 0]);
  const pick = (event: MouseEvent): void => {
    if (box.current) select(cellAt(event, layoutOf(box.current), box.current));
  };
  return (
    <div
      class="map"
      ref={box}
      role="application"
      aria-label="Heat map. Rows are entries, columns are calls. Arrow keys move the selection, Page Up and Page Down move it by twenty rows."
      tabIndex={0}
      onScroll={draw}
      onClick={pick}
      onKeyDown={moveByKey}
    >
      <div
        class="spacer"
        style={{
          height: `${tops.at(-1) ?? 0}px`,
          width: `${labelWidth + calls.length * cellWidth}px`,
        }}
      >
        <canvas ref={canvas} style={{ width: `${size.width}px`, height: `${size.height}px` }} />
      </div>
    </div>
  );
}

/** Sizes cells so that all calls are visible, as far as pixels allow. */
function cellSizes(size: Size): Pick<MapLayout, "labelWidth" | "cellWidth"> {
  const labelWidth = mode.value === "whole" ? 0 : Math.min(340, size.width * 0.5);
  const width = (size.width - labelWidth) / Math.max(1, data.value.calls.length);
  return { labelWidth, cellWidth: Math.max(3, Math.min(22, width)) };
}

/** Returns the cell at a position. In the text column, it has a row but no call. */
function cellAt(
  { clientX, clientY }: MouseEvent,
  layout: MapLayout,
  box: HTMLElement,
): { readonly row: number; readonly call?: number } {
  const { left, top } = box.getBoundingClientRect();
  const x = clientX - left - box.clientLeft - layout.labelWidth;
  const y = clientY - top - box.clientTop;
  const row = rowAt(layout.tops, y + layout.scrollTop);
  return x < 0 ? { row } : { row, call: Math.floor((x + layout.scrollLeft) / layout.cellWidth) };
}

const KEYS: Readonly<Record<string, readonly [rows: number, calls: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  PageDown: [20, 0],
  PageUp: [-20, 0],
  Home: [-Infinity, 0],
  End: [Infinity, 0],
};

function moveByKey(event: KeyboardEvent): void {
  const move = KEYS[event.key];
  if (move === undefined) return;
  event.preventDefault();
  const [rows, calls] = move;
  select({ row: selectedRow.value + rows, call: selectedCall.value + calls });
}
