import Table from "cli-table3";

import type { ModelCallRecord } from "../src/prompt/model-call-record.ts";
import { countOf } from "./count-of.ts";
import { fitLine } from "./fit-line.ts";

const BORDERS =
  "top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle";
const NO_BORDERS = Object.fromEntries(BORDERS.split(" ").map((location) => [location, ""]));
const GAP = 2;
const SHARES = ["history", "shown", "saved", "cached"];
const STEPS = "steps that acted";

/** How {@link callTable} draws. */
export interface CallTableOptions {
  /** A line for each call, instead of one for each role and turn. Default `false`. */
  readonly everyCall?: boolean;
  /** No line is wider. Default: no limit. */
  readonly width?: number;
}

/** Draws, for each role and turn or for every call of the model, how large the thread was, how much of it was shown, how much a provider has cached, and why. */
export function callTable(
  records: readonly ModelCallRecord[],
  { everyCall = false, width = Infinity }: CallTableOptions = {},
): string {
  const turns = [...new Set(records.map(({ turnId }) => turnId))];
  const groups = everyCall ? records.map((record) => [record]) : byRole(records);
  const all = countOf(records.length, "call");
  const head = everyCall ? ["turn", "agent", "step"] : ["turn", "role", "calls"];
  const rows = groups.map((group): readonly string[] => {
    const [first] = group;
    const turn = String(turns.indexOf(first?.turnId ?? "") + 1);
    const who = everyCall
      ? [first?.agent.id ?? "", first?.step ?? ""]
      : [first?.agent.role ?? "", String(group.length)];
    return [turn, ...who, ...shares(group)];
  });
  const lines = draw([[...head, ...SHARES], ...rows, ["", `all ${all}`, "", ...shares(records)]]);
  const steps = [STEPS, ...groups.map(namesOf), countSteps(records)];
  // The last column has what is left of the line.
  return lines
    .map((line, index) => fitLine(`${line}  ${steps[index] ?? ""}`, width).trimEnd())
    .join("\n");
}

function draw(rows: readonly (readonly string[])[]): readonly string[] {
  const [left, right] = ["left", "right"] as const;
  const isNumber = rows[1]?.[2] !== undefined && /^\d/.test(rows[1][2]);
  const table = new Table({
    colAligns: [right, left, isNumber ? right : left, right, right, right, right],
    chars: NO_BORDERS,
    style: { head: [], border: [], "padding-left": 0, "padding-right": GAP },
  });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split("\n")
    .map((line) => line.slice(0, -GAP));
}

function byRole(records: readonly ModelCallRecord[]): readonly (readonly ModelCallRecord[])[] {
  return [...Map.groupBy(records, ({ turnId, agent }) => `${turnId} ${agent.role}`).values()];
}

function shares(records: readonly ModelCallRecord[]): readonly string[] {
  const whole = records.reduce((sum, { threadTokens }) => sum + threadTokens, 0);
  const shown = records.reduce((sum, { shownTokens }) => sum + shownTokens, 0);
  const stable = records.reduce((sum, { stableTokens }) => sum + stableTokens, 0);
  const saved = whole === 0 ? 0 : Math.round((1 - shown / whole) * 100);
  const prefix = shown === 0 ? 0 : Math.round((stable / shown) * 100);
  return [whole.toLocaleString("en"), shown.toLocaleString("en"), `${saved}%`, `${prefix}%`];
}

function namesOf(records: readonly ModelCallRecord[]): string {
  return [...new Set(records.flatMap(({ steps }) => steps))].join(", ");
}

function countSteps(records: readonly ModelCallRecord[]): string {
  const counts = new Map<string, number>();
  for (const step of records.flatMap(({ steps }) => steps)) {
    counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  return [...counts].map(([step, count]) => `${step} ${count}`).join(", ");
}
