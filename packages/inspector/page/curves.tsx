import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";

import { data, select, selectedCall, theme } from "./page-state.ts";

interface Line {
  readonly label: string;
  /** A custom property of the page. */
  readonly color: string;
  readonly values: readonly (number | undefined)[];
}

interface CurvesProps {
  readonly title: string;
  /** The indexes of the drawn calls among all. */
  readonly calls: readonly number[];
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
}

/** A drawing of lines over calls. The same numbers stand in words in the other views. */
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
  }, [data.value, theme.value, calls.length, calls[0]]);
  const last = drawn.map(({ label, values }) => `${label} ${format(values.at(-1) ?? 0)}`);
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <div ref={box} class="curves" role="img" aria-label={`${title}; last: ${last.join(", ")}`} />
    </figure>
  );
}

function plotIn(at: HTMLElement, { calls, lines, format }: Omit<CurvesProps, "title">): uPlot {
  const style = getComputedStyle(at);
  const color = (name: string): string => style.getPropertyValue(`--${name}`);
  const axis = {
    stroke: color("quiet"),
    grid: { stroke: color("line"), width: 1 },
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
      ...lines.map(({ label, color: name }) => ({
        label,
        stroke: color(name),
        width: 2,
        spanGaps: true,
        points: { show: numbers.length < 60, size: 5 },
        value: (_: uPlot, value: number | null) => (value === null ? "–" : format(value)),
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

function sizeOf(at: HTMLElement): { readonly width: number; readonly height: number } {
  return { width: Math.max(200, at.clientWidth), height: 180 };
}
