import Table from "cli-table3";

import type { ModelCallRecord } from "../src/prompt/model-call-record.ts";

const BORDERS =
  "top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle";
const NO_BORDERS = Object.fromEntries(BORDERS.split(" ").map((place) => [place, ""]));
const HEAD = "turn,role,agent,step,whole history,shown,saved,stable prefix,steps that acted".split(
  ",",
);

/** Draws, for every call of the model, how large the thread was, how much of it this role was shown, how much a provider has cached, and why. */
export function callTable(records: readonly ModelCallRecord[]): string {
  const [left, right] = ["left", "right"] as const;
  const table = new Table({
    head: HEAD,
    colAligns: [right, left, left, left, right, right, right, right, left],
    chars: NO_BORDERS,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 3 },
  });
  const turns = [...new Set(records.map(({ turnId }) => turnId))];
  for (const record of records) {
    const { turnId, agent, step, steps } = record;
    const turn = turns.indexOf(turnId) + 1;
    table.push([turn, agent.role, agent.id, step, ...shares([record]), steps.join(", ")]);
  }
  table.push(["", `all ${records.length} calls`, "", "", ...shares(records), countSteps(records)]);
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

function shares(records: readonly ModelCallRecord[]): readonly string[] {
  const whole = records.reduce((sum, { threadTokens }) => sum + threadTokens, 0);
  const shown = records.reduce((sum, { shownTokens }) => sum + shownTokens, 0);
  const stable = records.reduce((sum, { stableTokens }) => sum + stableTokens, 0);
  const saved = whole === 0 ? 0 : Math.round((1 - shown / whole) * 100);
  const prefix = shown === 0 ? 0 : Math.round((stable / shown) * 100);
  return [whole.toLocaleString("en"), shown.toLocaleString("en"), `${saved}%`, `${prefix}%`];
}

function countSteps(records: readonly ModelCallRecord[]): string {
  const counts = new Map<string, number>();
  for (const step of records.flatMap(({ steps }) => steps)) {
    counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  return [...counts].map(([step, count]) => `${step} ${count}`).join(", ");
}
