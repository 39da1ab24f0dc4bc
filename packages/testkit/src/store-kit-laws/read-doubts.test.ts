import type { HistoryEntry, HistoryQuery, HistoryView } from "@agent-history/core";
import {
  action,
  agentView,
  assistantMessage,
  attachment,
  errorEntry,
  observation,
  summary,
  synthesis,
  systemMessage,
  task,
  userMessage,
} from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { expectedPage } from "../../test-support/arbitrary-thread.ts";
import { fakeThread } from "../../test-support/fake-store.ts";

const w1 = { id: "w1", role: "worker" } as const;
const view = agentView("w1");
const ask = userMessage({ id: "u1", turnId: "t1", content: "" });
const answer = assistantMessage({ id: "a1", turnId: "t1", content: "" });
const given = task({ id: "task", agent: w1, content: "" });
const call = action({
  id: "call",
  agent: w1,
  toolCalls: [{ id: "c", name: "find", arguments: "{}" }],
});
const result = observation({
  id: "result",
  agent: w1,
  callId: "c",
  toolName: "find",
  outcome: "success",
  content: "",
});
const slip = errorEntry({ id: "slip", agent: w1, content: "" });
const trace = { types: ["task", "action", "observation"], agent: "w1" } as const;

describe("readProgram in doubt", () => {
  it("shows a summary in place of a call whose result stays", () => {
    expectSame([ask, given, call], view, ["call", "call"], [result], {
      clauses: [
        { types: ["summary"], standsInView: true },
        { types: ["task"], agent: "w1" },
      ],
    });
  });

  it("pairs a result anew where the one before it is covered", () => {
    const second = { ...result, id: "second" };
    expectSame([ask, given, call, result], view, ["result", "result"], [second], {
      clauses: [trace],
      maxEntries: 1,
    });
  });

  it("counts turns anew where the request that begins one is covered", () => {
    const log = [
      ask,
      answer,
      systemMessage({ id: "s2", turnId: "t2", content: "" }),
      { ...ask, id: "u2", turnId: "t2" },
      { ...answer, id: "a2", turnId: "t2" },
    ];
    const later = [
      userMessage({ id: "u3", content: "" }),
      assistantMessage({ id: "a3", content: "" }),
    ];
    expectSame(log, "conversation", ["u2", "a2"], later, {
      clauses: [{ types: ["user_message"], lastTurns: { count: 2, stride: 2 } }],
    });
  });

  it("takes a late entry for a new turn where its turn is covered", () => {
    const log = [ask, answer, { ...ask, id: "u2", turnId: "t2" }];
    const late = [{ ...answer, id: "late" }];
    expectSame(log, "conversation", ["u1", "a1"], late, {
      clauses: [{ types: ["user_message", "assistant_message"], lastTurns: { count: 1 } }],
    });
  });

  it("knows what is an agent's own and covered, whatever stream it was read from", () => {
    const own = synthesis({ id: "own", agent: w1, content: "" });
    const others = Array.from({ length: 200 }, (_, index) => ({ ...call, id: `call ${index}` }));
    expectSame([ask, own, { ...own, id: "next" }, ...others], view, ["own", "own"], [], {
      clauses: [{ types: ["synthesis"] }, { types: ["task"], agent: "w1", turn: { newest: true } }],
    });
    // Its place is not the summary's.
    expectSame([ask, slip, own, { ...own, id: "next" }], view, ["slip", "own"], [], {
      clauses: [{ types: ["synthesis"] }, { types: ["memory"], agent: "w1" }],
    });
  });

  it("keeps what is pinned, and what a summary of the thread leaves", () => {
    const pinned = { ...answer, pinned: true };
    const log = [ask, pinned, { ...ask, id: "u2" }, { ...answer, id: "a2", pinned: true }];
    const later = [{ ...ask, id: "u3" }];
    expectSame(log, "thread", ["u1", "a2"], later, { clauses: [{}] });
    expectSame(log, "conversation", ["u1", "a2"], later, {
      clauses: [{ types: ["user_message", "assistant_message"] }],
    });
  });

  it("keeps them where a long thread is read down to its summary only", () => {
    const log = Array.from({ length: 300 }, (_, index) => ({
      ...ask,
      id: `m${index}`,
      pinned: index === 5,
    }));
    expectSame(log, "thread", ["m0", "m299"], [answer], { clauses: [{}] });
  });

  it("does not take the phase of a late entry for one of the newest turn", () => {
    const phase = (id: string, turnId: string): HistoryEntry =>
      synthesis({ id, turnId, phaseId: id, content: "" });
    const late = errorEntry({ id: "late", turnId: "t1", phaseId: "late", content: "" });
    const log = [ask, { ...ask, id: "u2", turnId: "t2" }, phase("one", "t2"), late];
    expectSame([...log, phase("two", "t2")], undefined, [], [], {
      clauses: [
        { types: ["synthesis"], turn: { newest: true }, beforePhase: { id: "two", count: 1 } },
      ],
    });
  });

  it("does not show the turns of pinned messages that a summary has passed over", () => {
    const turns = [1, 2, 3].flatMap((number) => [
      userMessage({ id: `u${number}`, content: "" }),
      assistantMessage({ id: `a${number}`, content: "", pinned: true }),
    ]);
    for (const count of [1, 2, 3, 8]) {
      expectSame(turns, "conversation", ["u1", "a2"], [], {
        clauses: [{ types: ["user_message", "assistant_message"], lastTurns: { count } }],
      });
    }
  });

  it("shows a pinned message with the request that follows it now", () => {
    const log = [
      userMessage({ id: "u1", content: "", pinned: true }),
      assistantMessage({ id: "a1", content: "" }),
      userMessage({ id: "u2", content: "" }),
      assistantMessage({ id: "a2", content: "" }),
    ];
    expectSame(log, "conversation", ["a1", "a1"], [], {
      clauses: [{ types: ["user_message", "assistant_message"], lastTurns: { count: 1 } }],
    });
  });

  it("orders phases by what remains of them", () => {
    const phase = (id: string, phaseId: string): HistoryEntry =>
      synthesis({ id, phaseId, agent: w1, content: "" });
    const log = [ask, phase("p1", "one"), phase("p2", "two"), phase("p1 again", "one")];
    expectSame(log, view, ["p1", "p1"], [], {
      clauses: [
        { types: ["synthesis"], turn: { newest: true }, beforePhase: { id: "one" } },
        { types: ["task"], agent: "w1", turn: { newest: true } },
      ],
    });
  });

  it("finds the last task that remains", () => {
    const log = [ask, given, call, { ...given, id: "covered" }, { ...result, taskId: "covered" }];
    expectSame(log, view, ["covered", "covered"], [], {
      clauses: [{ ...trace, turn: { newest: true }, lastTask: { of: "w1" } }],
    });
    // Its place is not the summary's.
    expectSame([ask, given, slip, { ...given, id: "covered" }], view, ["slip", "covered"], [], {
      clauses: [{ types: ["task"], agent: "w1", turn: { newest: true }, lastTask: { of: "w1" } }],
    });
  });

  it.each<[what: string, query: HistoryQuery]>([
    ["facts", { clauses: [{ ...trace, turn: { newest: true }, lastTask: { of: "w1" } }] }],
    ["pages", { clauses: [{ types: ["task"], agent: "w1" }] }],
  ])("takes no %s that are newer than the moment that it tells", (_what, query) => {
    const log = [ask, given, call, result];
    const later = [{ ...given, id: "later" }];
    const thread = fakeThread();
    thread.append(log);
    const afterAnswer = (): void => {
      if (later.length > 0) thread.append(later.splice(0));
    };
    const { entries, next, version } = thread.read({ query, afterAnswer }).result;
    const model = { log: [...log, { ...given, id: "later" }].slice(0, version), overlays: [] };
    expect({ entries, next }).toEqual(expectedPage(model, query, false));
  });

  it("shows an upload that came before its message, and one of an older message", () => {
    const upload = attachment({ id: "file", messageId: "u2", content: "" });
    const clauses = [
      { types: ["user_message"], lastTurns: { count: 1 } },
      { types: ["attachment"], attachedToShown: true },
    ] as const;
    expectSame([ask, answer, upload, { ...ask, id: "u2", turnId: "t2" }], undefined, [], [], {
      clauses,
    });
    const many = Array.from({ length: 300 }, (_, index) => ({ ...ask, id: `m${index}` }));
    const last = { ...upload, messageId: "m0" };
    expectSame([...many, last], undefined, [], [], {
      clauses: [{ types: ["user_message"] }, clauses[1]],
      maxEntries: 3,
    });
  });

  it("reads a long turn to its beginning, past an entry that came late", () => {
    const turn = Array.from({ length: 200 }, (_, index) => ({
      ...answer,
      id: `m${index}`,
      turnId: "t2",
    }));
    const log: readonly HistoryEntry[] = [ask, { ...ask, id: "u2", turnId: "t2" }, ...turn];
    expectSame(log.toSpliced(150, 0, { ...answer, id: "late" }), undefined, [], [], {
      clauses: [{ types: ["user_message", "assistant_message"], lastTurns: { count: 1 } }],
    });
  });

  it("does not stop at a large summary while smaller entries before it are not read", () => {
    const many = Array.from({ length: 200 }, (_, index) => ({ ...ask, id: `m${index + 100}` }));
    const maxTokens = 150 * JSON.stringify(many[0]).length;
    const first = systemMessage({ id: "system", content: "" });
    expectSame([first, ask, answer, ...many], "conversation", ["u1", "a1"], [], {
      clauses: [{}],
      maxTokens,
    });
  });
});

/** Writes a log, compacts it where a view is named, writes on, and reads; says whether that is what the whole log shows. */
function expectSame(
  log: readonly HistoryEntry[],
  ofView: HistoryView | undefined,
  [from = "", to = ""]: readonly string[],
  later: readonly HistoryEntry[],
  asked: HistoryQuery,
): void {
  const thread = fakeThread();
  for (const entry of log) thread.append([entry]);
  const covers = [{ from, to }];
  const texts = { content: "x".repeat(9000), strategy: "whole", trust: "tool" } as const;
  const overlays =
    ofView === undefined ? [] : [summary({ ...texts, id: "summary", view: ofView, covers })];
  for (const overlay of overlays) thread.commit(overlay.view ?? "thread", overlay, covers);
  for (const entry of later) thread.append([entry]);
  const query = ofView === undefined ? asked : { ...asked, view: ofView };
  const { result: read } = thread.read({ query });
  const model = { log: [...log, ...later], overlays };
  expect({ entries: read.entries, next: read.next }).toEqual(expectedPage(model, query, false));
}
