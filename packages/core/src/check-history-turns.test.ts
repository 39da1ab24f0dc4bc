import { describe, expect, it } from "vitest";

import { checkHistory } from "./check-history.ts";
import {
  action,
  assistantMessage,
  final,
  memory,
  observation,
  systemMessage,
  task,
  userMessage,
} from "./create-entries.ts";
import type { HistoryEntry } from "./history-entry.ts";

const call = { id: "c", name: "read", arguments: "{}" };
const chat: readonly HistoryEntry[] = [
  systemMessage({ id: "s", content: "s" }),
  userMessage({ id: "u1", content: "q" }),
  action({ id: "x1", toolCalls: [call] }),
  observation({ id: "o1", callId: "c", toolName: "read", outcome: "success", content: "r" }),
  assistantMessage({ id: "a1", content: "a" }),
  userMessage({ id: "u2", content: "q" }),
  assistantMessage({ id: "a2", content: "a" }),
  userMessage({ id: "u3", content: "q" }),
];

describe("checkHistory, against what a prompt was made from", () => {
  it("accepts whole turns, with and without their exchanges", () => {
    expect(rulesOf("s u1 a1 u2 a2 u3")).toEqual([]);
    expect(rulesOf("s u2 a2 u3")).toEqual([]);
    expect(rulesOf("s u1 a1 u3")).toEqual([]);
  });

  it("finds a request without its answer, and what then stands in a row", () => {
    expect(rulesOf("s u2 u3")).toEqual(["L15 request-without-answer u2", "L15 role-repeated u3"]);
  });

  it("finds an answer without its request, and that the prompt begins with it", () => {
    expect(rulesOf("s a2 u3")).toEqual([
      "L15 answer-without-request a2",
      "L15 begins-with-answer a2",
    ]);
  });

  it("finds that the newest entry is gone or was changed", () => {
    const log = [...chat, memory({ id: "m", content: "fact" })];
    expect(rulesOf("s u2 a2 u3", log)).toEqual(["L16 newest-lost m"]);
    const changed = [...chat, memory({ id: "m", content: "other" })];
    expect(checkHistory(changed, { before: log }).map(({ rule }) => rule)).toEqual([
      "newest-changed",
    ]);
  });

  it("accepts that the newest answer was shortened", () => {
    const log = [...chat, assistantMessage({ id: "a3", content: "long" })];
    const shortened = [...chat, assistantMessage({ id: "a3", content: "l" })];
    expect(checkHistory(shortened, { before: log })).toEqual([]);
  });

  it("asks nothing of what is pinned", () => {
    const log = chat.map((entry) => (entry.id === "a1" ? { ...entry, pinned: true } : entry));
    expect(rulesOf("s a1 u3", log)).toEqual([]);
  });

  it("lets a request lead without its answer to a pin within its turn, whatever turn that is of", () => {
    const pin = assistantMessage({ id: "pin", turnId: "t2", content: "p" });
    const log = [
      userMessage({ id: "u1", turnId: "t1", content: "q" }),
      pin,
      assistantMessage({ id: "a1", turnId: "t1", content: "a" }),
      userMessage({ id: "u2", turnId: "t2", content: "q" }),
    ];
    const pinned = log.with(1, { ...pin, pinned: true });
    expect(rulesOf("u1 pin u2", log)).toEqual(["L15 request-without-answer u1"]);
    expect(rulesOf("u1 pin u2", pinned)).toEqual([]);
    expect(rulesOf("u1 u2", pinned)).toEqual([
      "L15 request-without-answer u1",
      "L15 role-repeated u2",
    ]);
  });

  it("reads roles as the viewer does", () => {
    const agent = { id: "w", role: "worker" } as const;
    const log = [
      task({ id: "t1", agent, content: "work" }),
      final({ id: "f1", agent, content: "done" }),
      task({ id: "t2", agent, content: "work" }),
    ];
    expect(rulesOf("t1 t2", log, { agentId: "w" })).toEqual([
      "L15 request-without-answer t1",
      "L15 role-repeated t2",
    ]);
  });
});

function rulesOf(
  ids: string,
  before: readonly HistoryEntry[] = chat,
  viewer: { readonly agentId?: string } = {},
): readonly string[] {
  const kept = new Set(ids.split(" "));
  const entries = before.filter(({ id }) => kept.has(id));
  return checkHistory(entries, { before, viewer }).map(
    ({ law, rule, entryId }) => `${law} ${rule} ${entryId}`,
  );
}
