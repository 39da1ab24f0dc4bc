import { describe, expect, it } from "vitest";

import { action, assistantMessage, observation, userMessage } from "./create-entries.ts";
import type { HistoryEntry } from "./history-entry.ts";
import { repairHistory } from "./repair-history.ts";

const question = userMessage({ id: "u1", content: "Why?" });
const call = action({
  id: "a1",
  createdAtMs: 7,
  turnId: "t1",
  phaseId: 0,
  taskId: "task-1",
  agent: { id: "w1", role: "worker" },
  toolCalls: [
    { id: "c1", name: "search", arguments: "{}" },
    { id: "c2", name: "read", arguments: "{}" },
  ],
});
const result = observation({
  id: "o1",
  agent: { id: "w1", role: "worker" },
  callId: "c1",
  toolName: "search",
  outcome: "success",
  content: "",
});
const answer = assistantMessage({ id: "m1", content: "So.", agent: { id: "w1", role: "worker" } });

const CALLED = { id: "c9", name: "read", arguments: "{}" };

describe("repairHistory", () => {
  it("returns a sound history by identity", () => {
    const entries = [question, { ...call, toolCalls: call.toolCalls.slice(0, 1) }, result, answer];
    const repaired = repairHistory(entries);
    expect(repaired.entries).toBe(entries);
    expect(repaired.repairs).toEqual([]);
  });

  it("answers a lost call with an error that says so, under an id from action and call", () => {
    const { entries, repairs } = repairHistory([question, call, result, answer]);
    expect(ids(entries)).toEqual(["u1", "a1", "a1/1/lost", "o1", "m1"]);
    expect(entries[2]).toEqual({
      type: "observation",
      id: "a1/1/lost",
      createdAtMs: 7,
      turnId: "t1",
      phaseId: 0,
      taskId: "task-1",
      agent: { id: "w1", role: "worker" },
      callId: "c2",
      toolName: "read",
      outcome: "error",
      actionId: "a1",
      content: "No result of this call was recorded.",
    });
    expect(repairs).toEqual([{ kind: "added-result", entryId: "a1/1/lost" }]);
  });

  it("puts the lost result of a call before what the call gave that made it", () => {
    const [first] = call.toolCalls;
    const toolCalls = [...(first ? [first] : []), { ...CALLED, callerId: first?.id ?? "" }];
    const { entries } = repairHistory([question, { ...call, toolCalls }, result, answer]);
    expect(ids(entries)).toEqual(["u1", "a1", "a1/1/lost", "o1", "m1"]);
  });

  it("leaves the calls of an agent's last action open while it runs", () => {
    const entries = [question, call, result];
    expect(repairHistory(entries).entries).toBe(entries);
  });

  it("drops a result that answers no call", () => {
    const { entries, repairs } = repairHistory([question, result, answer]);
    expect(ids(entries)).toEqual(["u1", "m1"]);
    expect(repairs).toEqual([{ kind: "dropped-orphan", entryId: "o1" }]);
  });

  it("draws results to their action", () => {
    const note = assistantMessage({ id: "m0", content: "meanwhile" });
    const single = { ...call, toolCalls: call.toolCalls.slice(0, 1) };
    const { entries, repairs } = repairHistory([question, single, note, result, answer]);
    expect(ids(entries)).toEqual(["u1", "a1", "o1", "m0", "m1"]);
    expect(repairs).toEqual([{ kind: "drawn-together", entryId: "a1" }]);
  });

  it("drops the copy of an entry, and renames another entry that took its id", () => {
    const copy = structuredClone(question);
    const different = { ...question, content: "How?" };
    const { entries, repairs } = repairHistory([question, copy, different, different]);
    expect(ids(entries)).toEqual(["u1", "u1#2", "u1#3"]);
    expect(repairs).toEqual([
      { kind: "dropped-duplicate", entryId: "u1" },
      { kind: "renamed-duplicate", entryId: "u1#2" },
      { kind: "renamed-duplicate", entryId: "u1#3" },
    ]);
  });

  it("keeps the copy of a result that answers a call", () => {
    const single = { ...call, toolCalls: call.toolCalls.slice(0, 1) };
    const [copy, another] = [structuredClone(result), structuredClone(result)];
    const { entries, repairs } = repairHistory([question, result, single, copy, another]);
    expect(entries).toEqual([question, single, result]);
    expect(repairs.map(({ kind }) => kind)).toEqual(["dropped-duplicate", "dropped-duplicate"]);
  });

  it("names calls without an id, and their results in the order of the calls", () => {
    const nameless = { ...call, toolCalls: call.toolCalls.map((made) => ({ ...made, id: "" })) };
    const results = ["o1", "o2"].map((id) => ({ ...result, id, callId: "" }));
    const { entries, repairs } = repairHistory([nameless, ...results, answer]);
    expect(entries.slice(0, 3)).toMatchObject([
      { toolCalls: [{ id: "a1/0" }, { id: "a1/1" }] },
      { id: "o1", callId: "a1/0" },
      { id: "o2", callId: "a1/1" },
    ]);
    expect(repairs).toEqual([{ kind: "named-calls", entryId: "a1" }]);
  });

  it("keeps the results of an action that had to be renamed", () => {
    const single = { ...call, toolCalls: call.toolCalls.slice(0, 1) };
    const other = { ...single, content: "Again." };
    const first = { ...result, actionId: "a1" };
    const second = { ...first, id: "o2", content: "found" };
    const { entries, repairs } = repairHistory([single, first, other, second, answer]);
    expect(entries.slice(2, 4)).toMatchObject([
      { id: "a1#2", content: "Again." },
      { id: "o2", actionId: "a1#2", content: "found" },
    ]);
    expect(repairs).toEqual([{ kind: "renamed-duplicate", entryId: "a1#2" }]);
  });

  it("leaves out an entry with a field that throws only where another bears its id", () => {
    const unreadable = { ...question };
    Object.defineProperty(unreadable, "metadata", {
      enumerable: true,
      get: () => {
        throw new Error("unreadable");
      },
    });
    expect(repairHistory([unreadable]).entries).toHaveLength(1);
    expect(
      repairHistory([answer, { ...answer, content: "Other." }, unreadable]).entries,
    ).toMatchObject([answer, { content: "Other." }, { id: question.id }]);
    expect(repairHistory([question, unreadable, answer]).entries).toEqual([question, answer]);
  });
});

function ids(entries: readonly HistoryEntry[]): readonly string[] {
  return entries.map(({ id }) => id);
}
