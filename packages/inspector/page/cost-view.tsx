import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";

import type { CallColumn } from "../src/inspector-data.ts";
import { dollars, number, percent } from "./cells.ts";
import { data, select, selectedCall, theme } from "./page-state.ts";

/** Tokens, cost and the share read from the cache, from call to call. */
export function CostView(): JSX.Element {
  const { calls, prices } = data.value;
  const costs = calls.map(({ costUsd }) => costUsd);
  const isPriced = costs.some((cost) => cost !== undefined);
  let spent = 0;
  const total = costs.map((cost) => (spent += cost ?? 0));
  const shares = calls.map(cachedShare);
  const sent = sum(calls.map(({ totalTokens }) => totalTokens));
  const isMeasured = calls.some(({ usage }) => usage !== undefined);
  return (
    <div class="scroll" role="region" aria-label="Cost" tabIndex={0}>
      <dl class="totals">
        <Total name="calls" value={number(calls.length)} />
        <Total name="prompt tokens" value={number(sent)} />
        <Total
          name={isMeasured ? "read from the cache" : "same as in the request before"}
          value={percent(sum(calls.map(cachedTokens)), sent)}
        />
        <Total
          name="sent again after a break"
          value={number(sum(calls.map(({ change }) => change?.lostTokens ?? 0)))}
        />
        {isPriced && <Total name={`list prices of ${prices.asOf}`} value={dollars(spent)} />}
      </dl>
      <Curves
        title="Tokens of each prompt"
        lines={[
          { label: "prompt", color: "accent", values: calls.map(({ totalTokens }) => totalTokens) },
          {
            label: isMeasured ? "from the cache" : "same as before",
            color: "kept",
            values: calls.map(cachedTokens),
          },
          {
            label: "window",
            color: "dropped",
            values: calls.map(({ windowTokens }) => windowTokens),
          },
        ]}
        format={number}
      />
      <Curves
        title="Share of each prompt that a cache can serve"
        lines={[{ label: "share", color: "kept", values: shares }]}
        format={(share) => percent(share, 1)}
      />
      {isPriced && (
        <Curves
          title="Cost"
          lines={[
            { label: "this call", color: "shrunk", values: costs },
            { label: "all so far", color: "accent", values: total },
          ]}
          format={dollars}
        />
      )}
    </div>
  );
}

function Total({ name, value }: { readonly name: string; readonly value: string }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

interface Line {
  readonly label: string;
  /** A custom property of the page. */
  readonly color: string;
  readonly values: readonly (number | undefined)[];
}

interface CurvesProps {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
}

/** A drawing of lines over calls. The same numbers stand in words in the other views. */
function Curves({ title, lines, format }: CurvesProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const drawn = lines.filter(({ values }) => values.some((value) => value !== undefined));
  useEffect(() => {
    const at = box.current;
    if (at === null) return;
    const plot = plotIn(at, drawn, format);
    const observer = new ResizeObserver(() => plot.setSize(sizeOf(at)));
    observer.observe(at);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [data.value, theme.value]);
  const last = drawn.map(({ label, values }) => `${label} ${format(values.at(-1) ?? 0)}`);
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <div ref={box} class="curves" role="img" aria-label={`${title}; last: ${last.join(", ")}`} />
    </figure>
  );
}

function plotIn(at: HTMLElement, lines: readonly Line[], format: CurvesProps["format"]): uPlot {
  const style = getComputedStyle(at);
  const color = (name: string): string => style.getPropertyValue(`--${name}`);
  const axis = {
    stroke: color("quiet"),
    grid: { stroke: color("line"), width: 1 },
    ticks: { show: false },
  };
  const calls = data.value.calls.map((_, index) => index + 1);
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
        points: { show: calls.length < 60, size: 5 },
        value: (_: uPlot, value: number | null) => (value === null ? "–" : format(value)),
      })),
    ],
    hooks: {
      ready: [
        (plot) =>
          plot.over.addEventListener("click", () => {
            if (typeof plot.cursor.idx === "number") select({ call: plot.cursor.idx });
          }),
      ],
    },
  };
  const plot = new uPlot(options, [calls, ...lines.map(({ values }) => [...values])], at);
  plot.setCursor({ left: plot.valToPos(selectedCall.peek() + 1, "x"), top: 0 });
  return plot;
}

function sizeOf(at: HTMLElement): { readonly width: number; readonly height: number } {
  return { width: Math.max(200, at.clientWidth), height: 180 };
}

/** As the provider reported it, or what is the same as in the request before. */
function cachedTokens({ usage, change, totalTokens }: CallColumn): number {
  return usage?.cacheReadTokens ?? Math.min(totalTokens, change?.sameTokens ?? 0);
}

function cachedShare(call: CallColumn): number {
  return call.totalTokens === 0 ? 0 : Math.min(1, cachedTokens(call) / call.totalTokens);
}

function sum(values: readonly number[]): number {
  return values.reduce((one, other) => one + other, 0);
}
