import type { JsonObject } from "@agent-history/core";

import type { WireReply } from "../servers/wire.ts";

/** How many requests one turn takes: two rounds of calls, and the answer. */
export const REQUESTS_OF_TURN = 3;

/** A model that works by a script: each turn two calls at once, one more call, and an answer; each time some thinking. */
export function scriptedModel(_: JsonObject, index: number): WireReply {
  const step = index % REQUESTS_OF_TURN;
  const thinking = `Step ${step} of turn ${Math.floor(index / REQUESTS_OF_TURN)}: ${"hm ".repeat(index % 40)}`;
  if (step === 2)
    return { thinking, text: `Flight ${index} leaves at nine. `.repeat(1 + (index % 30)) };
  const ids = step === 0 ? [`call_${index}_a`, `call_${index}_b`] : [`call_${index}`];
  const calls = ids.map((id) => ({ id, name: "find", arguments: JSON.stringify({ to: id }) }));
  return step === 0 ? { thinking, calls } : { thinking, text: "One more.", calls };
}

/** What the tool of the script finds: texts of a few words up to some thousand. */
export function toolResult(id: string): string {
  const number = Number(/\d+/u.exec(id)?.[0] ?? 0);
  return `Found for ${id}: ${"seat at the window, ".repeat(1 + ((number * 97) % 400))}`;
}

/** The question of a turn. */
export function question(turn: number): string {
  return `Turn ${turn}: which flights go to Rome on day ${turn}? ${"Please. ".repeat(turn % 12)}`;
}
