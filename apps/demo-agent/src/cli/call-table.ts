import Table from "cli-table3";

import type { ModelCallRecord } from "../prompt/ask-model.ts";

const BORDERS =
  "top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle";
const NO_BORDERS = Object.fromEntries(BORDERS.split(" ").map((place) => [place, ""]));

/** Draws, for every call of the model, how large the thread was and how much of it this role was shown. */
export function callTable(records: readonly ModelCallRecord[]): string {
  const table = new Table({
    head: ["turn", "role", "agent", "step", "whole history", "shown", "saved"],
    colAligns: ["right", "left", "left", "left", "right", "right", "right"],
    chars: NO_BORDERS,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 3 },
  });
  const turns = [...new Set(records.map(({ turnId }) => turnId))];
  for (const { turnId, agent, step, threadTokens, shownTokens } of records) {
    const turn = turns.indexOf(turnId) + 1;
    table.push([turn, agent.role, agent.id, step, ...shares(threadTokens, shownTokens)]);
  }
  const whole = records.reduce((sum, { threadTokens }) => sum + threadTokens, 0);
  const shown = records.reduce((sum, { shownTokens }) => sum + shownTokens, 0);
  table.push(["", `all ${records.length} calls`, "", "", ...shares(whole, shown)]);
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

function shares(whole: number, shown: number): readonly string[] {
  const saved = whole === 0 ? 0 : Math.round((1 - shown / whole) * 100);
  return [whole.toLocaleString("en"), shown.toLocaleString("en"), `${saved}%`];
}
