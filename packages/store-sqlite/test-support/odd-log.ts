import type { HistoryEntry } from "@agent-history/core";
import { action, attachment, final, observation, task, userMessage } from "@agent-history/core";
import * as fc from "fast-check";

const AGENTS = ["boss", "ada", "eve", "bob"];

/** One choice of what comes next: a kind, and numbers that pick whom and what it is about. */
const step = fc.tuple(fc.nat({ max: 99 }), fc.nat({ max: 9999 }), fc.nat({ max: 9999 }));

/**
 * Generates logs that an index finds hard: tasks named before they are given, turns that come back, calls that are answered late, twice or by others,
 * attachments of messages that are not there.
 */
export function arbitraryOddLog(size: {
  readonly minLength: number;
  readonly maxLength: number;
}): fc.Arbitrary<readonly HistoryEntry[]> {
  return fc
    .tuple(fc.array(step, { ...size, size: "max" }), fc.nat({ max: 9999 }))
    .map(([steps, name]) => steps.map((one, nth) => entryOf(one, nth, `${name}-`)));
}

function entryOf(
  [kind, some, other]: readonly [number, number, number],
  nth: number,
  name: string,
): HistoryEntry {
  const id = `${name}${nth}`;
  const agent = { id: AGENTS[some % AGENTS.length] ?? "boss", role: "worker" } as const;
  const giver = { id: AGENTS[other % AGENTS.length] ?? "boss", role: "manager" } as const;
  const base = { id, createdAtMs: nth, ...(other % 3 === 0 && { turnId: `turn-${some % 7}` }) };
  // Near, as a rule; sometimes far, or still to come.
  const near = `${name}${Math.max(0, nth - 6 + (other % 9))}`;
  const far = `${name}${some % (nth + 5)}`;
  const about = other % 5 === 0 ? far : near;
  const content = `text ${some}`;
  if (kind < 12) return userMessage({ ...base, content });
  if (kind < 20) return attachment({ ...base, messageId: about, content });
  if (kind < 34) return task({ ...base, agent, from: giver, content });
  if (kind < 48) return final({ ...base, agent, taskId: about, content });
  if (kind < 72) {
    const toolCalls = [`call ${some % 5}`, `call ${id}`].slice(other % 2);
    return action({
      ...base,
      agent,
      toolCalls: toolCalls.map((call) => ({ id: call, name: "find", arguments: "{}" })),
      ...(some % 4 === 0 && { taskId: about }),
    });
  }
  return observation({
    ...base,
    agent,
    callId: other % 2 === 0 ? `call ${some % 5}` : `call ${near}`,
    toolName: "find",
    outcome: "success",
    content,
    ...(other % 6 === 0 && { actionId: about }),
  });
}
