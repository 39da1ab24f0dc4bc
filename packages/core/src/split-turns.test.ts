import { describe, expect, it } from "vitest";

import {
  action,
  assistantMessage,
  attachment,
  memory,
  observation,
  summary,
  systemMessage,
  task,
  userMessage,
} from "./create-entries.ts";
import type { HistoryEntry } from "./history-entry.ts";
import { findLastTask, splitTurns } from "./split-turns.ts";

const worker = { id: "w1", role: "worker" } as const;
const other = { id: "w2", role: "worker" } as const;

describe("splitTurns", () => {
  it("begins a turn at each user message where no turn is named", () => {
    expect(idsOfTurns([user("u1"), answer("a1"), user("u2"), answer("a2")])).toEqual([
      ["u1", "a1"],
      ["u2", "a2"],
    ]);
  });

  it("keeps user messages in a row in one turn, whatever they brought along", () => {
    const upload = attachment({ id: "f1", messageId: "u1", content: "file" });
    const note = systemMessage({ id: "s1", content: "note" });
    const recalled = memory({ id: "x1", content: "fact" });
    expect(idsOfTurns([user("u1"), upload, note, recalled, user("u2"), answer("a1")])).toEqual([
      ["u1", "f1", "s1", "x1", "u2", "a1"],
    ]);
  });

  it("gives what came before the first request a turn of its own", () => {
    expect(idsOfTurns([answer("a0"), user("u1"), answer("a1")])).toEqual([["a0"], ["u1", "a1"]]);
    expect(idsOfTurns([answer("a0"), user("u1", "one")])).toEqual([["a0"], ["u1"]]);
  });

  it("counts system messages before the first request to its turn", () => {
    expect(idsOfTurns([systemMessage({ id: "s1", content: "" }), user("u1")])).toEqual([
      ["s1", "u1"],
    ]);
  });

  it("lets turnId decide, also for an entry that came late", () => {
    const late = assistantMessage({ id: "a1", content: "", turnId: "one" });
    const entries = [user("u1", "one"), user("u2", "two"), late, answer("a2", "two")];
    expect(idsOfTurns(entries)).toEqual([
      ["u1", "a1"],
      ["u2", "a2"],
    ]);
    expect(splitTurns(entries).map(({ id }) => id)).toEqual(["one", "two"]);
  });

  it("takes requests between which another turn went on for no row", () => {
    const entries = [user("u1", "one"), user("u2", "two"), answer("a2", "two"), user("u3")];
    const later = [answer("b1", "one"), user("u4", "four"), answer("a4", "four")];
    expect(idsOfTurns([...entries, ...later])).toEqual([
      ["u1", "b1"],
      ["u2", "a2"],
      ["u3"],
      ["u4", "a4"],
    ]);
    expect(idsOfTurns([...entries, user("v1", "one"), user("u4", "four")])).toEqual([
      ["u1", "v1"],
      ["u2", "a2"],
      ["u3", "u4"],
    ]);
  });

  it("begins a turn at each new turnId, whoever bears it", () => {
    expect(idsOfTurns([user("u1", "one"), answer("a1", "one"), answer("a2", "two")])).toEqual([
      ["u1", "a1"],
      ["a2"],
    ]);
  });

  it("gives a turn that began without an id the first id seen within it", () => {
    expect(idsOfTurns([user("u1"), answer("a1", "one"), user("u2", "two")])).toEqual([
      ["u1", "a1"],
      ["u2"],
    ]);
    const named = [user("u1", "one"), answer("a1", "one"), user("u2"), answer("a2", "two")];
    expect(idsOfTurns(named)).toEqual([
      ["u1", "a1"],
      ["u2", "a2"],
    ]);
  });

  it("keeps user messages in a row together where only the later one names the turn", () => {
    expect(idsOfTurns([user("u1"), user("u2", "one"), answer("a1", "one")])).toEqual([
      ["u1", "u2", "a1"],
    ]);
  });

  it("counts a provider's compaction item before the first request to its turn", () => {
    const item = summary({ id: "z1", content: [], strategy: "provider", trust: "tool" });
    expect(idsOfTurns([item, user("u1")])).toEqual([["z1", "u1"]]);
  });

  it("begins a turn at each task in a log without user messages, but not at tasks that an agent gave", () => {
    const inner = task({ id: "t2", content: "", agent: other, from: worker });
    const entries = [taskOf("t1"), inner, answer("a1"), taskOf("t3")];
    expect(idsOfTurns(entries)).toEqual([["t1", "t2", "a1"], ["t3"]]);
    const under = task({ id: "t2", content: "", agent: other, taskId: "t1" });
    expect(idsOfTurns([taskOf("t1"), answer("a1"), under])).toEqual([["t1", "a1", "t2"]]);
  });

  it("keeps the tasks of agents side by side in one turn, until the first has another", () => {
    const beside = task({ id: "t2", content: "", agent: other });
    const entries = [taskOf("t1"), beside, answer("a1"), taskOf("t3")];
    expect(idsOfTurns(entries)).toEqual([["t1", "t2", "a1"], ["t3"]]);
  });

  it("does not begin a turn at a task where there are user messages", () => {
    const entries = [user("u1"), taskOf("t1"), answer("a1"), taskOf("t2"), answer("a2")];
    expect(idsOfTurns(entries)).toEqual([["u1", "t1", "a1", "t2", "a2"]]);
  });

  it("gives no turn for an empty history", () => {
    expect(splitTurns([])).toEqual([]);
  });
});

describe("findLastTask", () => {
  const entries = [taskOf("t1"), task({ id: "t2", content: "", agent: other }), answer("a1")];

  it("finds the last task of the thread", () => {
    expect(findLastTask(entries)).toBe(1);
  });

  it("finds the last task of one agent", () => {
    expect(findLastTask(entries, "w1")).toBe(0);
  });

  it("gives -1 where there is none", () => {
    const call = { id: "c1", name: "search", arguments: "{}" };
    const traces = [
      action({ id: "a1", toolCalls: [call] }),
      observation({ id: "o1", callId: "c1", toolName: "search", outcome: "success", content: "" }),
    ];
    expect(findLastTask(traces)).toBe(-1);
    expect(findLastTask(entries, "stranger")).toBe(-1);
  });
});

function idsOfTurns(entries: readonly HistoryEntry[]): string[][] {
  return splitTurns(entries).map((turn) => turn.entries.map(({ id }) => id));
}

function user(id: string, turnId?: string): HistoryEntry {
  return userMessage({ id, content: "question", ...(turnId === undefined ? {} : { turnId }) });
}

function answer(id: string, turnId?: string): HistoryEntry {
  return assistantMessage({ id, content: "answer", ...(turnId === undefined ? {} : { turnId }) });
}

function taskOf(id: string): HistoryEntry {
  return task({ id, content: "work", agent: worker });
}
