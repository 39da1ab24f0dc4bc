import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";

import { colorOf, colors, data, select, selectedCall } from "./page-state.ts";

/** A line, or the upper edge of an area. */
export interface Line {
  readonly label: string;
  /** The name of a CSS custom property. */
  readonly color: string;
  readonly values: readonly (number | undefined)[];
  /** Fills the area down to the axis; later lines are drawn over it. */
  readonly isFilled?: boolean;
  /** In a stack, the values of the area below. Its own share is the difference. */
  readonly above?: readonly number[];
}

interface CurvesProps {
  readonly title: string;
  /** The indexes of the drawn calls in all calls. */
  readonly calls: readonly number[];
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
}

/** Draws lines over calls. The other views show the same numbers as text. */
export function Curves({ title, calls, lines, format }: CurvesProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const drawn = lines.filter(({ values }) => values.some((value) => value !== undefined));
  useEffect(() => {
    const at = box.current;
    if (at === null) return;
    const plot = plotIn(at, { calls, lines: drawn, format });
    const observer = new ResizeObserver(() => plot.setSize(sizeOf(at)));
    observer.observe(at);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [data.value, colors.value, calls.length, calls[0]]);
  const last = drawn.map((line) => `${line.label} ${format(ownValue(line, calls.length - 1))}`);
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <div ref={box} class="curves" role="img" aria-label={`${title}; last: ${last.join(", ")}`} />
    </figure>
  );
}

function plotIn(at: HTMLElement, { calls, lines, format }: Omit<CurvesProps, "title">): uPlot {
  const axis = {
    stroke: colorOf("quiet"),
    grid: { stroke: colorOf("line"), width: 1 },
    ticks: { show: false },
  };
  const numbers = calls.map((index) => index + 1);
  const options: uPlot.Options = {
    ...sizeOf(at),
    scales: { x: { time: false }, y: { range: (_, __, most) => [0, most > 0 ? most * 1.05 : 1] } },
    cursor: { y: false, bind: { dblclick: () => () => null } },
    axes: [
      { ...axis, size: 30, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000] },
      { ...axis, size: 72, values: (_, values) => values.map(format) },
    ],
    series: [
      { label: "call" },
      ...lines.map((line) => ({
        label: line.label,
        stroke: colorOf(line.color),
        ...(line.isFilled && { fill: colorOf(line.color) }),
        width: line.isFilled ? 1 : 2,
        spanGaps: true,
        points: { show: false },
        value: (_: uPlot, value: number | null, __: number, index: number | null) =>
          value === null || index === null ? "–" : format(ownValue(line, index)),
      })),
    ],
    hooks: {
      ready: [
        (plot) =>
          plot.over.addEventListener("click", () => {
            if (typeof plot.cursor.idx === "number")
              select({ call: (numbers[plot.cursor.idx] ?? 1) - 1 });
          }),
      ],
    },
  };
  const plot = new uPlot(options, [numbers, ...lines.map(({ values }) => [...values])], at);
  plot.setCursor({ left: plot.valToPos(selectedCall.peek() + 1, "x"), top: 0 });
  return plot;
}

function ownValue({ values, above }: Line, index: number): number {
  return (values[index] ?? 0) - (above?.[index] ?? 0);
}

function sizeOf(at: HTMLElement): { readonly width: number; readonly height: number } {
  return { width: Math.max(200, at.clientWidth), height: 200 };
}
