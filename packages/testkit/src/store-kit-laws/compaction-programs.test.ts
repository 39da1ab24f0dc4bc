import type { EntryRun, SummaryEntry } from "@agent-history/core";
import {
  assistantMessage,
  isHistoryError,
  summary,
  systemMessage,
  userMessage,
} from "@agent-history/core";
import { commitProgram } from "@agent-history/store-kit";
import { describe, expect, it } from "vitest";

import { fakeThread } from "../../test-support/fake-store.ts";
import type { FakeThread } from "../../test-support/fake-store.ts";

const run = (from: string, to: string = from): EntryRun => ({ from, to });

describe("commitProgram", () => {
  const refused: readonly [string, readonly EntryRun[], string][] = [
    ["no runs", [], "NOT_FOUND"],
    ["runs that are not there", [run("stranger")], "NOT_FOUND"],
    ["runs backward", [run("a1", "u1")], "NOT_FOUND"],
    ["runs out of order", [run("u2"), run("u1")], "NOT_FOUND"],
    ["runs of another view", [run("system")], "NOT_FOUND"],
  ];

  for (const [name, covers, code] of refused) {
    it(`refuses ${name}, and changes nothing`, () => {
      const thread = written();
      expect(codeOf(() => thread.commit("conversation", overlay("s1"), covers))).toBe(code);
      expect(thread.tables.overlays).toEqual([]);
      expect(thread.viewRevision("conversation")).toBe(0);
    });
  }

  it("refuses what is covered already, by a run or by name", () => {
    const thread = written();
    thread.commit("conversation", overlay("s1"), [run("u1", "a1")]);
    const again = (covers: EntryRun): unknown =>
      codeOf(() => thread.commit("conversation", overlay("s2"), [covers]));
    expect(again(run("u1"))).toBe("NOT_FOUND");
    expect(again(run("a1", "u2"))).toBe("NOT_FOUND");
    expect(again(run("s1", "u2"))).toBe(undefined);
    expect(codeOf(() => thread.expand("s1"))).toBe("NOT_FOUND");
  });

  it("takes the same summary twice as once, and refuses another of its id, or of an entry's", () => {
    const thread = written();
    thread.commit("conversation", overlay("s1"), [run("u1")]);
    thread.commit("conversation", overlay("s1"), [run("u1")]);
    expect(thread.viewRevision("conversation")).toBe(1);
    expect(codeOf(() => thread.commit("conversation", overlay("s1"), [run("u2")]))).toBe(
      "DUPLICATE_ID",
    );
    expect(codeOf(() => thread.commit("thread", overlay("s1"), [run("u1")]))).toBe("DUPLICATE_ID");
    expect(codeOf(() => thread.commit("conversation", overlay("a1"), [run("u2")]))).toBe(
      "DUPLICATE_ID",
    );
  });

  it("refuses a revision that has passed", () => {
    const thread = written();
    const state = JSON.stringify({ format: 1, count: 0 });
    const program = commitProgram({
      view: "thread",
      summary: overlay("s1"),
      covers: [run("u1")],
      expectedViewRevision: 3,
    });
    program.next([]);
    const act = (): unknown =>
      program.next([
        { kind: "thread", head: thread.tables.head, state, viewRevision: 4 },
        { kind: "summaries", summaries: [] },
        { kind: "summaries", summaries: [] },
        { kind: "positions", positions: new Map() },
        { kind: "replaced", replaced: new Map() },
      ]);
    expect(codeOf(act)).toBe("VERSION_CONFLICT");
  });

  it("refuses a summary above the size of an entry", () => {
    const large = { ...overlay("s1"), content: "x".repeat(1_000_000) };
    expect(codeOf(() => written().commit("thread", large, [run("u1")]))).toBe("TOO_LARGE");
  });

  it("says where an index has lost a reference", () => {
    const thread = written();
    thread.tables.streams.get("all")?.pop();
    expect(codeOf(() => thread.commit("thread", overlay("s1"), [run("u1")]))).toBe(
      "THREAD_CORRUPT",
    );
  });
});

describe("expandProgram", () => {
  it("gives back layer by layer, to the byte", () => {
    const thread = written();
    const shown = (): readonly string[] =>
      thread
        .read({ query: { clauses: [{}], view: "conversation" } })
        .result.entries.map(({ id }) => id);
    const layers = [shown()];
    thread.commit("conversation", overlay("s1"), [run("u1", "a1")]);
    layers.push(shown());
    thread.commit("conversation", overlay("s2"), [run("s1", "u2")]);
    expect(shown()).toEqual(["system", "s2", "a2"]);
    thread.expand("s2");
    expect(shown()).toEqual(layers[1]);
    thread.expand("s1");
    expect(shown()).toEqual(layers[0]);
    expect(thread.viewRevision("conversation")).toBe(4);
    expect(codeOf(() => thread.expand("s1"))).toBe("NOT_FOUND");
    expect(thread.verify()).toEqual([]);
  });
});

function written(): FakeThread {
  const thread = fakeThread();
  thread.append([
    systemMessage({ id: "system", content: "" }),
    userMessage({ id: "u1", content: "" }),
    assistantMessage({ id: "a1", content: "" }),
    userMessage({ id: "u2", content: "" }),
    assistantMessage({ id: "a2", content: "" }),
  ]);
  return thread;
}

function overlay(id: string): SummaryEntry {
  return summary({ id, createdAtMs: 0, content: "", strategy: "whole", trust: "tool" });
}

function codeOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    return isHistoryError(error) ? error.code : String(error);
  }
  return undefined;
}
