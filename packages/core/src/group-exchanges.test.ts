import { describe, expect, it } from "vitest";

import {
  action,
  assistantMessage,
  errorEntry,
  final,
  observation,
  synthesis,
  task,
  userMessage,
} from "./create-entries.ts";
import { groupExchanges } from "./group-exchanges.ts";
import type { Agent, HistoryEntry } from "./history-entry.ts";

const one: Agent = { id: "w1", role: "worker" };
const two: Agent = { id: "w2", role: "worker" };

describe("groupExchanges", () => {
  it("groups parallel calls with their results in the order they came", () => {
    const groups = shapes([act("a1", ["x", "y"]), result("o1", "y"), result("o2", "x")]);
    expect(groups).toEqual([["a1", "o1", "o2"]]);
  });

  it("names the calls that have no result", () => {
    const [group] = groupExchanges([act("a1", ["x", "y"]), result("o1", "y")]);
    expect(group?.kind === "exchange" && group.unanswered.map(({ id }) => id)).toEqual(["x"]);
  });

  it("leaves a result alone that answers no call before it", () => {
    expect(shapes([result("o1", "x"), act("a1", ["x"]), result("o2", "z")])).toEqual([
      ["single o1"],
      ["a1"],
      ["single o2"],
    ]);
  });

  it("answers each call once", () => {
    expect(shapes([act("a1", ["x"]), result("o1", "x"), result("o2", "x")])).toEqual([
      ["a1", "o1"],
      ["single o2"],
    ]);
  });

  it("pairs an id that is used again with the newest call that is open", () => {
    const entries = [act("a1", ["x"]), result("o1", "x"), act("a2", ["x"]), result("o2", "x")];
    expect(shapes(entries)).toEqual([
      ["a1", "o1"],
      ["a2", "o2"],
    ]);
  });

  it("pairs an id that is open twice with the newest action", () => {
    const entries = [act("a1", ["x"]), act("a2", ["x"]), result("o1", "x")];
    expect(shapes(entries)).toEqual([["a1"], ["a2", "o1"]]);
  });

  it("pairs two calls of one id in one action in order", () => {
    const entries = [act("a1", ["x", "x"]), result("o1", "x"), result("o2", "x")];
    expect(shapes(entries)).toEqual([["a1", "o1", "o2"]]);
    const calls = ["first", "second"].map((name) => ({ id: "x", name, arguments: "{}" }));
    const [group] = groupExchanges([action({ id: "a1", toolCalls: calls }), result("o1", "x")]);
    expect(group?.kind === "exchange" && group.unanswered).toEqual([calls[1]]);
  });

  it("keeps workers apart that use the same call id at once", () => {
    const entries = [
      act("a1", ["x"], one),
      act("a2", ["x"], two),
      result("o1", "x", { agent: one }),
      result("o2", "x", { agent: two }),
    ];
    expect(shapes(entries)).toEqual([
      ["a1", "o1"],
      ["a2", "o2"],
    ]);
  });

  it("believes an observation that names its action, and guesses no other", () => {
    const entries = [
      act("a1", ["x"]),
      act("a2", ["x"]),
      result("o1", "x", { actionId: "a1" }),
      result("o2", "x", { actionId: "gone" }),
    ];
    expect(shapes(entries)).toEqual([["a1", "o1"], ["a2"], ["single o2"]]);
  });

  it("does not answer by position what an action named by id has answered", () => {
    const entries = [
      act("a1", ["x"]),
      act("a2", ["x"]),
      result("o1", "x", { actionId: "a2" }),
      result("o2", "x"),
    ];
    expect(shapes(entries)).toEqual([
      ["a1", "o2"],
      ["a2", "o1"],
    ]);
  });

  it("takes ids that are names of object members as ids", () => {
    const ids = ["__proto__", "constructor", "{}", "*"];
    const entries = [act("a1", ids), ...ids.map((id, nth) => result(`o${nth}`, id))];
    expect(shapes(entries)).toEqual([["a1", "o0", "o1", "o2", "o3"]]);
  });

  it("says that an agent's last action runs until the user goes on", () => {
    expect(running([act("a1", ["x"])])).toEqual(["a1"]);
    expect(running([act("a1", ["x"]), result("o1", "x")])).toEqual(["a1"]);
    expect(running([act("a1", ["x"]), act("a2", ["y"])])).toEqual(["a2"]);
    expect(running([act("a1", ["x"]), userMessage({ content: "stop" })])).toEqual([]);
    expect(running([act("a1", ["x"]), errorEntry({ content: "slow" })])).toEqual(["a1"]);
  });

  for (const goOn of [assistantMessage, final, synthesis, task]) {
    it(`says that an agent goes on by its ${goOn.name}, and no other agent does`, () => {
      const entry = goOn({ content: "", agent: two });
      expect(running([act("a1", ["x"], one), act("a2", ["x"], two), entry])).toEqual(["a1"]);
    });
  }

  it("keeps calls made by calls with the call that made them, and a late result behind them", () => {
    const entries = [
      act("a1", ["p", "x"], undefined, "p"),
      result("o1", "x"),
      act("a2", ["y"], undefined, "p"),
      result("o2", "y"),
      act("a3", ["z"], undefined, "y"),
      result("late", "p"),
      result("o3", "z"),
      act("a4", ["w"]),
    ];
    expect(shapes(entries)).toEqual([["a1", "o1", "a2", "o2", "a3", "o3", "late"], ["a4"]]);
    const [group] = groupExchanges(entries);
    const rounds = group?.kind === "exchange" ? group.rounds : [];
    expect(rounds.map(({ observations }) => observations.map(({ id }) => id))).toEqual([
      ["o1", "late"],
      ["o2"],
      ["o3"],
    ]);
  });

  it("waits for a call as long as it waits for what the call has called", () => {
    const entries = [act("a1", ["p"]), act("a2", ["y", "z"], undefined, "p"), result("o1", "y")];
    const lost = (log: readonly HistoryEntry[]): readonly string[] =>
      groupExchanges(log).flatMap((group) =>
        group.kind === "exchange"
          ? group.rounds.flatMap((round) => round.lost.map(({ id }) => id))
          : [],
      );
    expect(running(entries)).toEqual(["a1"]);
    expect(lost(entries)).toEqual([]);
    expect(lost([...entries, act("a3", ["w"], undefined, "p")])).toEqual(["z"]);
    expect(lost([...entries, act("a3", ["w"])])).toEqual(["p", "z"]);
  });

  it("takes the newest open call of an id for the caller, and an answered one where none is open", () => {
    const again = [act("a1", ["p"]), act("a2", ["p"]), result("o", "p")];
    const log = [...again, act("a3", ["x"], undefined, "p")];
    expect(shapes(log)).toEqual([
      ["a1", "a3"],
      ["a2", "o"],
    ]);
    const answered = [act("a1", ["p"]), result("o", "p"), act("a2", ["x"], undefined, "p")];
    expect(shapes(answered)).toEqual([["a1", "o", "a2"]]);
    expect(shapes([act("a2", ["x"], undefined, "gone")])).toEqual([["a2"]]);
    const siblings = [act("a1", ["x"], undefined, "gone"), act("a2", ["y"], undefined, "gone")];
    expect(shapes([...siblings, result("o", "x")])).toEqual([["a1", "o", "a2"]]);
    const others = [act("a1", ["p"], one), act("a2", ["x"], two, "p")];
    expect(shapes(others)).toEqual([["a1"], ["a2"]]);
  });

  it("puts what a call gave behind the results of the calls that it made beside it", () => {
    const calls = [
      { id: "p", name: "run", arguments: "{}" },
      { id: "x", name: "tool", arguments: "{}", callerId: "p" },
    ];
    const called = action({ id: "a1", toolCalls: calls });
    expect(shapes([called, result("o1", "p"), result("o2", "x")])).toEqual([["a1", "o2", "o1"]]);
  });

  it("pairs a hundred thousand calls of one id without looking at each twice", () => {
    const entries = Array.from({ length: 100_000 }, (_, nth) => act(`a${nth}`, ["x"]));
    const results = entries.map((_, nth) => result(`o${nth}`, "x"));
    const groups = groupExchanges([...entries, ...results]);
    expect(groups.length).toBe(100_000);
  });
});

function shapes(entries: readonly HistoryEntry[]): string[][] {
  return groupExchanges(entries).map((group) =>
    group.kind === "single" ? [`single ${group.entry.id}`] : group.entries.map(({ id }) => id),
  );
}

function running(entries: readonly HistoryEntry[]): string[] {
  return groupExchanges(entries).flatMap((group) =>
    group.kind === "exchange" && group.running ? [group.action.id] : [],
  );
}

function act(
  id: string,
  callIds: readonly string[],
  agent?: Agent,
  callerId?: string,
): HistoryEntry {
  const made = callerId === undefined ? {} : { callerId };
  const toolCalls = callIds.map((callId) => ({
    id: callId,
    name: "tool",
    arguments: "{}",
    ...(callId !== callerId && made),
  }));
  return action({ id, toolCalls, ...(agent === undefined ? {} : { agent }) });
}

function result(
  id: string,
  callId: string,
  fields: { readonly agent?: Agent; readonly actionId?: string } = {},
): HistoryEntry {
  return observation({ id, callId, toolName: "tool", outcome: "success", content: "", ...fields });
}
