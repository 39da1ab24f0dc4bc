import { promptTokens } from "@agent-history/transcripts";
import { signal } from "@preact/signals";
import type { JSX } from "preact";

import type { CallColumn } from "../src/inspector-data.ts";
import { dollars, number, percent } from "./cells.ts";
import { Choices } from "./controls.tsx";
import { Curves } from "./curves.tsx";
import type { Line } from "./curves.tsx";
import { moments } from "./moments.ts";
import type { Moment } from "./moments.ts";
import { data, open, select } from "./page-state.ts";

const EVERYBODY = "all calls";
/** The id of the agent whose calls are drawn. */
const chosen = signal(EVERYBODY);

/** Shows the total cost of the calls, the curve of each call, and the most expensive moments. */
export function CostView(): JSX.Element {
  const all = data.value.calls;
  const agents = [...new Set(all.map(agentOf))];
  const who = agents.includes(chosen.value) ? chosen.value : EVERYBODY;
  const indexes = all.flatMap((one, index) =>
    who === EVERYBODY || agentOf(one) === who ? [index] : [],
  );
  return (
    <div class="scroll" role="region" aria-label="Cost" tabIndex={0}>
      {agents.length > 1 && (
        <div class="agents">
          <Choices
            label="Agent"
            names={[EVERYBODY, ...agents]}
            chosen={who}
            choose={(name) => (chosen.value = name)}
            text={(name) => name}
          />
        </div>
      )}
      <div class="overview">
        <Totals calls={indexes.flatMap((index) => all[index] ?? [])} />
        <Moments calls={new Set(indexes)} />
        <section class="all-curves">
          <CallCurves indexes={indexes} />
        </section>
      </div>
    </div>
  );
}

function Totals({ calls }: { readonly calls: readonly CallColumn[] }): JSX.Element {
  const sent = sum(calls.map(sentTokens));
  const isMeasured = calls.some(({ usage }) => usage !== undefined);
  const costs = calls.flatMap(({ costUsd }) => costUsd ?? []);
  const again = sum(calls.map(({ change }) => change?.sentAgainTokens ?? 0));
  const cached = percent(sum(calls.map(cachedTokens)), sent);
  const totals = {
    ...(costs.length > 0 && {
      [`at list prices as of ${data.value.prices.asOf}`]: dollars(sum(costs)),
    }),
    "prompt tokens": number(sent),
    [isMeasured ? "read from the cache" : "same as in the previous request"]: cached,
    "sent again after cache breaks": number(again),
  };
  return (
    <dl class="totals">
      {Object.entries(totals).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Lists the most expensive moments, what would have avoided them, and a link to each. */
function Moments({ calls }: { readonly calls: ReadonlySet<number> }): JSX.Element {
  const found = moments(data.value).filter(({ call }) => calls.has(call));
  return (
    <section class="moments" aria-label="Most expensive moments">
      <h2>Most expensive</h2>
      {found.length === 0 && <p class="quiet">Nothing stands out: no tokens were sent again.</p>}
      <ol>
        {found.map((one) => (
          <li key={`${one.call} ${one.row}`}>
            <button type="button" onClick={() => show(one)}>
              <strong>
                {one.costUsd === undefined ? `${number(one.weight)} tokens` : dollars(one.costUsd)}
              </strong>{" "}
              <small>call {one.call + 1}</small>
              <bdi class="what">{one.what}</bdi>
              <span class="avoid">To avoid it: {one.avoid}.</span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

function show({ call, row }: Moment): void {
  select({ call, ...(row !== undefined && { row }) });
  open("map");
}

/** Draws the tokens of each prompt by price class, and the cumulative cost. */
function CallCurves({ indexes }: { readonly indexes: readonly number[] }): JSX.Element {
  const costs = indexes.map((index) => data.value.calls[index]?.costUsd);
  let spent = 0;
  const spending = costs.map((cost) => (spent += cost ?? 0));
  return (
    <>
      <Curves
        title="Tokens of each prompt"
        calls={indexes}
        lines={tokenLines(indexes)}
        format={number}
      />
      {costs.some((cost) => cost !== undefined) && (
        <Curves
          title="Cumulative cost"
          calls={indexes}
          lines={[{ label: "cost", color: "accent", isFilled: true, values: spending }]}
          format={dollars}
        />
      )}
    </>
  );
}

/** Stacked areas: cache reads at the bottom, then cache writes, then new tokens. */
function tokenLines(indexes: readonly number[]): readonly Line[] {
  const calls = indexes.flatMap((index) => data.value.calls[index] ?? []);
  const isMeasured = calls.some(({ usage }) => usage !== undefined);
  const cached = calls.map(cachedTokens);
  const written = calls.map(({ usage }) => usage?.cacheWriteTokens ?? 0);
  const known = cached.map((tokens, nth) => tokens + (written[nth] ?? 0));
  const totals = calls.map(sentTokens);
  const isWritten = written.some((tokens) => tokens > 0);
  const isFilled = true;
  const writes = {
    label: "written to the cache",
    color: "shrunk",
    isFilled,
    values: known,
    above: cached,
  };
  return [
    { label: "new", color: "fresh", isFilled, values: totals, above: known },
    ...(isWritten ? [writes] : []),
    {
      label: isMeasured ? "read from the cache" : "same as in the previous request",
      color: "kept",
      isFilled,
      values: cached,
    },
    { label: "window", color: "text", values: calls.map(({ windowTokens }) => windowTokens) },
  ];
}

/** Returns the prompt tokens as reported by the provider, else as planned. */
function sentTokens({ usage, totalTokens }: CallColumn): number {
  return usage === undefined ? totalTokens : promptTokens(usage);
}

/** Returns the cached tokens as reported by the provider, else those that equal the previous request. */
function cachedTokens(column: CallColumn): number {
  const { usage, change } = column;
  return Math.min(sentTokens(column), usage?.cacheReadTokens ?? change?.sameTokens ?? 0);
}

function agentOf({ agent, request }: CallColumn): string {
  return agent?.id ?? request?.viewer?.agentId ?? "one agent";
}

function sum(values: readonly number[]): number {
  return values.reduce((one, other) => one + other, 0);
}
