import { signal } from "@preact/signals";
import type { JSX } from "preact";

import type { CallColumn } from "../src/inspector-data.ts";
import { dollars, number, percent } from "./cells.ts";
import { Curves } from "./curves.tsx";
import { data } from "./page-state.ts";

const EVERYBODY = "all calls";
/** Whose calls are drawn: an agent's id. */
const chosen = signal(EVERYBODY);

/** Tokens, cost and the share read from the cache, from call to call. */
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
        <div class="bar" role="group" aria-label="Whose calls">
          {[EVERYBODY, ...agents].map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === who}
              onClick={() => (chosen.value = name)}
            >
              <bdi>{name}</bdi>
            </button>
          ))}
        </div>
      )}
      <Totals calls={indexes.flatMap((index) => all[index] ?? [])} />
      <TokenCurves indexes={indexes} />
      <CostCurves indexes={indexes} />
    </div>
  );
}

function Totals({ calls }: { readonly calls: readonly CallColumn[] }): JSX.Element {
  const sent = sum(calls.map(({ totalTokens }) => totalTokens));
  const isMeasured = calls.some(({ usage }) => usage !== undefined);
  const costs = calls.flatMap(({ costUsd }) => costUsd ?? []);
  return (
    <dl class="totals">
      <Total name="calls" value={number(calls.length)} />
      <Total name="prompt tokens" value={number(sent)} />
      <Total
        name={isMeasured ? "read from the cache" : "same as in the request before"}
        value={percent(sum(calls.map(cachedTokens)), sent)}
      />
      <Total
        name="sent again after a break"
        value={number(sum(calls.map(({ change }) => change?.sentAgainTokens ?? 0)))}
      />
      {costs.length > 0 && (
        <Total name={`list prices of ${data.value.prices.asOf}`} value={dollars(sum(costs))} />
      )}
    </dl>
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

interface CallsProps {
  /** Of the calls that are drawn. */
  readonly indexes: readonly number[];
}

function TokenCurves({ indexes }: CallsProps): JSX.Element {
  const calls = indexes.flatMap((index) => data.value.calls[index] ?? []);
  const isMeasured = calls.some(({ usage }) => usage !== undefined);
  const tokens = calls.map(({ totalTokens }) => totalTokens);
  const windows = calls.map(({ windowTokens }) => windowTokens);
  const cached = isMeasured ? "from the cache" : "same as before";
  return (
    <>
      <Curves
        title="Tokens of each prompt"
        calls={indexes}
        lines={[
          { label: "prompt", color: "accent", values: tokens },
          { label: cached, color: "kept", values: calls.map(cachedTokens) },
          { label: "window", color: "dropped", values: windows },
        ]}
        format={number}
      />
      <Curves
        title="Share of each prompt that a cache can serve"
        calls={indexes}
        lines={[{ label: "share", color: "kept", values: calls.map(cachedShare) }]}
        format={(share) => percent(share, 1)}
      />
    </>
  );
}

function CostCurves({ indexes }: CallsProps): JSX.Element | null {
  const costs = indexes.map((index) => data.value.calls[index]?.costUsd);
  if (costs.every((cost) => cost === undefined)) return null;
  let spent = 0;
  const total = costs.map((cost) => (spent += cost ?? 0));
  return (
    <Curves
      title="Cost"
      calls={indexes}
      lines={[
        { label: "this call", color: "shrunk", values: costs },
        { label: "all so far", color: "accent", values: total },
      ]}
      format={dollars}
    />
  );
}

/** As the provider reported it, or what is the same as in the request before. */
function cachedTokens({ usage, change, totalTokens }: CallColumn): number {
  return usage?.cacheReadTokens ?? Math.min(totalTokens, change?.sameTokens ?? 0);
}

function cachedShare(call: CallColumn): number {
  return call.totalTokens === 0 ? 0 : Math.min(1, cachedTokens(call) / call.totalTokens);
}

function agentOf({ agent, request }: CallColumn): string {
  return agent?.id ?? request?.viewer?.agentId ?? "one agent";
}

function sum(values: readonly number[]): number {
  return values.reduce((one, other) => one + other, 0);
}
