import { promptTokens } from "@agent-history/transcripts";
import type { JSX } from "preact";

import type { CallColumn } from "../src/inspector-data.ts";
import { dollars, number, percent } from "./cells.ts";
import { moments } from "./moments.ts";
import type { Moment } from "./moments.ts";
import { call, data, open, select, selectedCall } from "./page-state.ts";

/** Shows the total cost of the calls, the tokens of each call, and the most expensive moments. */
export function CostView(): JSX.Element {
  return (
    <div class="scroll" role="region" aria-label="Cost" tabIndex={0}>
      <div class="overview">
        <div>
          <Totals calls={data.value.calls} />
          <TokenAreas calls={data.value.calls} />
        </div>
        <Moments />
      </div>
    </div>
  );
}

function Totals({ calls }: { readonly calls: readonly CallColumn[] }): JSX.Element {
  const sent = sum(calls.map(sentTokens));
  const costs = calls.flatMap(({ costUsd }) => costUsd ?? []);
  const again = sum(calls.map(({ change }) => change?.sentAgainTokens ?? 0));
  const totals = {
    ...(costs.length > 0 && {
      [`at list prices as of ${data.value.prices.asOf}`]: dollars(sum(costs)),
    }),
    "prompt tokens": number(sent),
    [cachedName(calls)]: percent(sum(calls.map(cachedTokens)), sent),
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
function Moments(): JSX.Element {
  const found = moments(data.value);
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

function show({ call: index, row }: Moment): void {
  select({ call: index, ...(row !== undefined && { row }) });
  open("map");
}

/** Draws the tokens of each prompt by price class, as stacked areas over the calls. A click selects a call; its numbers are in the legend. */
function TokenAreas({ calls }: { readonly calls: readonly CallColumn[] }): JSX.Element {
  const written = (one: CallColumn): number => one.usage?.cacheWriteTokens ?? 0;
  const fresh = (one: CallColumn): number => sentTokens(one) - cachedTokens(one) - written(one);
  const stored = (one: CallColumn): number => cachedTokens(one) + written(one);
  // Each area is drawn from the axis, over the one before it.
  const areas = [
    { label: "new", color: "fresh", own: fresh, edge: sentTokens },
    { label: "written to the cache", color: "shrunk", own: written, edge: stored },
    { label: cachedName(calls), color: "kept", own: cachedTokens, edge: cachedTokens },
  ].filter(({ own }) => own !== written || calls.some((one) => written(one) > 0));
  const most = calls.reduce((high, one) => Math.max(high, sentTokens(one)), 1);
  return (
    <section>
      <h2>Tokens of each prompt, up to {number(most)}</h2>
      <ul class="legend" aria-label={`Tokens of call ${selectedCall.value + 1}`}>
        <li>call {selectedCall.value + 1}</li>
        {areas.map(({ label, color, own }) => (
          <li key={label}>
            <i class="swatch" style={{ background: `var(--${color})` }} aria-hidden="true" />
            {label} {call.value && number(own(call.value))}
          </li>
        ))}
        {call.value?.windowTokens && <li>window {number(call.value.windowTokens)}</li>}
      </ul>
      <svg
        viewBox={`0 0 ${calls.length} ${most}`}
        preserveAspectRatio="none"
        role="img"
        aria-label="Tokens of each prompt"
        onClick={({ offsetX, currentTarget }) =>
          select({ call: Math.floor((offsetX / currentTarget.clientWidth) * calls.length) })
        }
      >
        {areas.map(({ color, edge }) => (
          <polygon
            key={color}
            fill={`var(--${color})`}
            points={`0,${most} ${calls.map((one, x) => `${x},${most - edge(one)} ${x + 1},${most - edge(one)}`).join(" ")} ${calls.length},${most}`}
          />
        ))}
        <rect class="chosen" x={selectedCall.value} y={0} width={1} height={most} />
      </svg>
    </section>
  );
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

function cachedName(calls: readonly CallColumn[]): string {
  const isMeasured = calls.some(({ usage }) => usage !== undefined);
  return isMeasured ? "read from the cache" : "same as in the previous request";
}

function sum(values: readonly number[]): number {
  return values.reduce((one, other) => one + other, 0);
}
