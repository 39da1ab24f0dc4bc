import type { Agent, HistoryEntry } from "@agent-history/core";

/**
 * Returns a small well-formed piece of log in which every breakage can happen, to stand after a log in which none can: two
 * exchanges of one agent, one of another, both of them done.
 */
export function breakableExchanges(before: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const taken = new Set(before.flatMap((entry) => [entry.id, entry.agent?.id]));
  const unique = (preferred: string): string => {
    let id = preferred;
    while (taken.has(id)) id = `${id}'`;
    return id;
  };
  const one: Agent = { id: unique("breaker-1"), role: "worker" };
  const other: Agent = { id: unique("breaker-2"), role: "worker" };
  const newest = before.at(-1);
  const base = (id: string, agent: Agent) => ({
    id: unique(id),
    createdAtMs: newest?.createdAtMs ?? 0,
    ...(newest?.turnId === undefined ? {} : { turnId: newest.turnId }),
    agent,
  });
  return [
    ...exchange(base("b1", one), base("b2", one), []),
    ...exchange(base("b3", one), base("b4", one), SOURCES),
    { ...base("b5", one), type: "final", content: "Done." },
    ...exchange(base("b6", other), base("b7", other), []),
    { ...base("b8", other), type: "final", content: "Done." },
  ];
}

const SOURCES = [{ number: 1_000_000, id: "breaker-source", text: "Evidence." }];

type Base = Pick<HistoryEntry, "id" | "createdAtMs" | "agent">;

function exchange(
  action: Base,
  result: Base,
  sources: typeof SOURCES,
): readonly [HistoryEntry, HistoryEntry] {
  return [
    { ...action, type: "action", toolCalls: [{ id: "call_0", name: "search", arguments: "{}" }] },
    {
      ...result,
      type: "observation",
      callId: "call_0",
      toolName: "search",
      outcome: "success",
      content: "found",
      ...(sources.length === 0 ? {} : { sources }),
    },
  ];
}
