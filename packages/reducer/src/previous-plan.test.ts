import {
  action,
  assistantMessage,
  final,
  memory,
  observation,
  systemMessage,
  task,
  userMessage,
} from "@agent-history/core";
import type {
  HistoryEntry,
  ModelWindow,
  Reduction,
  ReductionPlan,
  TokenCounter,
} from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { chat, counter, errorOf } from "../test-support/character-counter.ts";
import { exchange } from "../test-support/exchange.ts";
import { expectLaws } from "../test-support/expect-laws.ts";
import type { FitOptions } from "./fit-options.ts";
import { fitToWindow } from "./fit-to-window.ts";

const opening = [
  systemMessage({ id: "s", content: "Be brief." }),
  userMessage({ id: "u1", content: "one" }),
  assistantMessage({ id: "a1", content: "two" }),
];
const question = userMessage({ id: "u9", content: "q" });
const call = action({ id: "x", toolCalls: [{ id: "c", name: "t", arguments: "{}" }] });
const result = (content: string): HistoryEntry =>
  observation({ id: "r", callId: "c", toolName: "t", outcome: "success", content });

describe("fitToWindow with a previous plan", () => {
  it("notices that a system message grew under its id", () => {
    const grown = systemMessage({ id: "s", content: "Today is Monday. ".repeat(50) });
    const { plan } = fitTwice(opening, [grown, ...opening.slice(1), question]);
    expect(plan.continued).toEqual({ entryCount: 0, stoppedBy: "change" });
    const huge = systemMessage({ id: "s", content: "Today is Monday. ".repeat(200) });
    const fit = (): unknown => fitTwice(opening, [huge, ...opening.slice(1), question]);
    expect(errorOf(fit)?.code).toBe("WINDOW_TOO_SMALL");
  });

  it("notices that the last message was streamed on under its id", () => {
    const answer = (content: string): HistoryEntry => assistantMessage({ id: "a2", content });
    const before = [...opening, question, answer("part")];
    const { plan } = fitTwice(before, [...opening, question, answer("part".repeat(10))]);
    expect(plan.continued).toEqual({ entryCount: 4, stoppedBy: "change" });
    expect(plan.totalTokens).toBe(56);
  });

  it("notices that the newest question was edited under its id", () => {
    const edited = userMessage({ id: "u9", content: "q".repeat(3000) });
    const fit = (): unknown => fitTwice([...opening, question], [...opening, edited]);
    expect(errorOf(fit)?.code).toBe("WINDOW_TOO_SMALL");
  });

  it("grows at its end behind a greeting while nothing was dropped", () => {
    const greeting = assistantMessage({ id: "a0", content: "Hello" });
    const long = result("line of a result\n".repeat(50));
    const options = { window: { contextTokens: 900 }, counter };
    const before = [greeting, ...opening.slice(1), call, long, assistantMessage({ content: "ok" })];
    const first = fitToWindow([...before, question], options);
    const full = [...before, userMessage({ id: "u8", content: "q".repeat(100) })];
    const cut = fitToWindow(full, { ...options, previousPlan: first.plan });
    expect(cut.entries.map(({ id }) => id)).toEqual(full.map(({ id }) => id));
    const next = [...full, assistantMessage({ content: "ok" }), question];
    const { plan } = fitToWindow(next, { ...options, previousPlan: cut.plan });
    expect(plan.continued).toEqual({ entryCount: full.length });
  });

  it("keeps the first request in the room that the newest question leaves", () => {
    const begins = [
      userMessage({ id: "u0", content: "task ".repeat(60) }),
      assistantMessage({ id: "a0", content: "ok" }),
    ];
    const options = { window: { contextTokens: 1000 }, counter, firstRequestShare: 0.2 };
    const { plan } = fitToWindow([...begins, ...chat], options);
    const asked = [...begins, ...chat, userMessage({ id: "u8", content: "q".repeat(880) })];
    const { entries } = fitToWindow(asked, { ...options, previousPlan: plan });
    expect(entries.map(({ id }) => id)).toEqual(["u0", "a0", "u8"]);
  });

  it("takes no more for the first request than its share while newer turns go", () => {
    const history: HistoryEntry[] = [];
    let previousPlan: ReductionPlan | undefined;
    let cuts = 0;
    for (let turn = 0; turn < 40; turn += 1) {
      history.push(userMessage({ id: `u${turn}`, content: "word ".repeat(40) }));
      const window = { contextTokens: 1000 };
      const fitted = fitToWindow([...history], { window, counter, previousPlan });
      previousPlan = fitted.plan;
      if (previousPlan.continued?.stoppedBy === "cut") cuts += 1;
      history.push(assistantMessage({ id: `a${turn}`, content: "word ".repeat(36) }));
    }
    expect(cuts).toBeLessThan(21);
  });

  it("shortens a result that was pending, and keeps what stands before it", () => {
    const pending = [...opening, question, call, result("pending")];
    const real = [...opening, question, call, result("Z".repeat(5000))];
    const { plan, entries } = fitTwice(pending, real);
    expect(entries.slice(0, 5)).toEqual(real.slice(0, 5));
    expect(plan.continued?.stoppedBy).toBe("change");
    expect(plan.decisions.map(({ step }) => step)).toContain("cap-results");
  });

  it.each([
    { type: "opaque", data: 1 },
    { type: "memory", content: "Likes tea." },
    { type: "global_observation", content: "Seen." },
    { type: "click", target: "x" },
  ])("finds that a result was lost behind a note: %j", (note) => {
    const noted = [
      ...opening,
      question,
      call,
      { id: "n", createdAtMs: 0, ...note } as HistoryEntry,
    ];
    const window = { contextTokens: 1000 };
    const first = fitToWindow(noted.slice(0, -1), { window, counter });
    const { plan: previousPlan } = fitToWindow(noted, {
      window,
      counter,
      previousPlan: first.plan,
    });
    const asked = [...noted, userMessage({ id: "u10", content: "Still there?" })];
    const fitted = fitToWindow(asked, { window, counter, previousPlan });
    expectLaws(asked, fitted, { window: 1000, counter });
    expect(fitted.plan.repairs).toEqual([{ kind: "added-result", entryId: "x/0/lost" }]);
  });

  it("pairs again where a call and its result were swapped, deleted or replaced", () => {
    const before = [
      ...opening,
      call,
      result("res"),
      question,
      assistantMessage({ id: "a2", content: "ok" }),
    ];
    const [other, added] = ["m", "n"].map((id) => assistantMessage({ id, content: id }));
    if (other === undefined || added === undefined) throw new Error("unreachable");
    const changes = [
      [...opening, result("res"), call, ...before.slice(5), added],
      [...opening, call, other, ...before.slice(5), added],
      [...opening, result("res"), other, ...before.slice(5), added],
      [...opening, other, call, result("res"), ...before.slice(5), added],
    ];
    for (const after of changes) {
      const { entries } = fitTwice(before, after);
      expect(entries.slice(0, 3)).toEqual(opening);
    }
  });

  it("holds up to the turn in which something was edited, inserted or deleted", () => {
    const edited = chat.with(5, assistantMessage({ id: "a3", content: "b".repeat(12) }));
    const inserted = chat.toSpliced(5, 0, assistantMessage({ id: "new", content: "new" }));
    const changes: readonly (readonly HistoryEntry[])[] = [edited, inserted, chat.toSpliced(5, 1)];
    // A turn is gone, and is not taken back.
    const first = fitToWindow(chat, { window: { contextTokens: 1000 }, counter });
    const gone = fitToWindow(chat, { window: { contextTokens: 65 }, counter }).plan;
    expect(gone.decisions[0]).toMatchObject({ action: { kind: "drop" }, to: "a1" });
    for (const after of changes) {
      const whole = fitToWindow(after, {
        window: { contextTokens: 1000 },
        counter,
        previousPlan: first.plan,
      });
      expect(whole.plan.continued).toEqual({ entryCount: 5, stoppedBy: "change" });
      expect(whole.entries.slice(0, 5)).toEqual(first.entries.slice(0, 5));
      const fitted = fitToWindow(after, {
        window: { contextTokens: 65 },
        counter,
        previousPlan: gone,
      });
      expect(fitted.entries.slice(0, 3)).toEqual(chat.slice(2, 5));
    }
  });

  it("repairs what broke in the middle, and holds what stands before it", () => {
    const before = [
      ...chat,
      call,
      result("res"),
      assistantMessage({ id: "a5", content: "done" }),
      question,
    ];
    const options = { window: { contextTokens: 200 }, counter };
    const { plan, entries } = fitToWindow(before, options);
    const sent = entries.slice(0, entries.indexOf(call));
    const lost = before.filter(({ id }) => id !== "r");
    const fitted = fitToWindow(lost, {
      window: { contextTokens: 200 },
      counter,
      maxResultShare: 1,
      previousPlan: plan,
    });
    expect(fitted.entries.slice(0, sent.length)).toEqual(sent);
    expect(fitted.plan.repairs.map(({ kind }) => kind)).toEqual(["added-result"]);
    expectLaws(lost, fitted, { window: 200, counter });
  });

  it("notices an entry of another type under the id of one that it kept", () => {
    const options = { window: { contextTokens: 45 }, counter };
    const { plan, entries } = fitToWindow(chat, options);
    const answer = chat.find(({ id }) => id === "a3");
    expect(entries).toContain(answer);
    const asked = userMessage({ id: "a3", content: "a".repeat(10) });
    const after = chat.map((entry) => (entry === answer ? asked : entry));
    const fitted = fitToWindow(after, { ...options, previousPlan: plan });
    expect(fitted.plan.continued?.stoppedBy).toBe("change");
    expect(fitted.entries).toContain(asked);
    expectLaws(after, fitted, { window: 45, counter });
  });

  it("does not mind what happens among what it dropped, and says that it estimates", () => {
    const options = { window: { contextTokens: 45 }, counter };
    const { plan, entries } = fitToWindow(chat, options);
    expect(entries.map(({ id }) => id)).toEqual(["u3", "a3", "u4", "a4"]);
    const added = assistantMessage({ id: "new", content: "new" });
    const changes = [
      chat.slice(1),
      chat.slice(4),
      chat.toSpliced(1, 1),
      chat.toSpliced(2, 1),
      chat.toSpliced(1, 0, added),
      chat.with(0, userMessage({ id: "edited", content: "edited" })),
    ];
    for (const after of changes) {
      const fitted = fitToWindow(after, { ...options, previousPlan: plan });
      expect(fitted.entries).toEqual(entries);
      expect(fitted.plan.continued).toEqual({ entryCount: after.length });
      expectLaws(after, fitted, { window: 45, counter });
    }
    const fitted = fitToWindow(chat.slice(1), { ...options, previousPlan: plan });
    expect(fitted.plan.decisions[0]).toMatchObject({
      from: "a1",
      to: "a2",
      entryCount: 3,
      estimated: true,
    });
  });

  it("takes back what it dropped where that has become the newest", () => {
    const { plan } = fitToWindow(chat, { window: { contextTokens: 25 }, counter });
    const rewound = chat.slice(0, 4);
    const fitted = fitToWindow(rewound, {
      window: { contextTokens: 25 },
      counter,
      previousPlan: plan,
    });
    expect(fitted.entries.map(({ id }) => id)).toEqual(["u2", "a2"]);
    expect(fitted.plan.continued?.stoppedBy).toMatch(/change|dropped-needed/);
  });

  it("leaves together what it sent together, where nothing is over but one new result", () => {
    const options = { window: { contextTokens: 1000 }, counter, viewer: { agentId: "m" } };
    const worker = { id: "w", role: "worker" } as const;
    const given = task({ id: "t", agent: { id: "m", role: "manager" }, content: "q" });
    const told = final({ id: "f", agent: worker, content: "done" });
    const long = { agent: worker, toolCalls: [{ id: "x", name: "t", arguments: "{}" }] };
    const answer = { agent: worker, callId: "x", toolName: "t", outcome: "success" } as const;
    const work = [
      action({ id: "x", ...long, content: "c".repeat(3000) }),
      observation({ id: "r-x", ...answer, content: "r" }),
    ];
    const before = [given, ...work, told];
    const { plan, entries } = fitToWindow(before, options);
    expect(entries.map(({ id }) => id)).toEqual(["t", "f"]);
    const after = [...before, ...exchange("z", 700)];
    const fitted = fitToWindow(after, { ...options, previousPlan: plan });
    expect(fitted.entries.map(({ id }) => id)).toEqual(["t", "f", "z", "r-z"]);
  });

  it("counts nothing of a dropped run of which a part is planned anew", () => {
    const said = (id: string, content = "t"): readonly HistoryEntry[] => [
      userMessage({ id: `u${id}`, content }),
      assistantMessage({ id: `a${id}`, content: "t" }),
    ];
    const greeting = assistantMessage({ id: "a0", content: "t".repeat(4) });
    const fact = memory({ id: "m", content: "f" });
    const before = [fact, greeting, ...said("1", "qqqq"), ...said("2", "q".repeat(99)), question];
    const { plan } = fitToWindow(before, {
      window: { contextTokens: 84 },
      counter,
      firstRequestShare: 0,
    });
    expect(plan.decisions[1]).toMatchObject({ action: { kind: "drop" }, entryCount: 3 });
    const after = before.filter(({ id }) => id !== "u2");
    const fitted = fitTwice(before, after, { contextTokens: 84 });
    const shown = fitted.entries.reduce((sum, entry) => sum + counter.countEntry(entry), 0);
    expect(fitted.plan.totalTokens).toBe(shown);
  });

  it("finds what was pinned after it was dropped, where it is asked to look again", () => {
    const { plan } = fitToWindow(chat, { window: { contextTokens: 45 }, counter });
    const [first, ...others] = chat;
    if (first === undefined) throw new Error("unreachable");
    const pinned = [first, { ...chat[1], pinned: true } as HistoryEntry, ...others.slice(1)];
    const options = { window: { contextTokens: 45 }, counter, previousPlan: plan };
    expect(fitToWindow(pinned, options).entries.map(({ id }) => id)).not.toContain("a1");
    const rechecked = fitToWindow(pinned, { ...options, recheck: true });
    expect(rechecked.entries.map(({ id }) => id)).toContain("a1");
    expect(rechecked.plan.continued).toEqual({ entryCount: 0, stoppedBy: "dropped-needed" });
    const same = fitToWindow(chat, { ...options, recheck: true });
    expect(same.plan.continued).toEqual({ entryCount: 8 });
  });

  it("finds a second entry under the id of one that was dropped, where it is asked to look again", () => {
    const options = { window: { contextTokens: 45 }, counter };
    const { plan } = fitToWindow(chat, options);
    const copied = [...chat, assistantMessage({ id: "a1", content: "a" })];
    const look = (): unknown =>
      fitToWindow(copied, { ...options, previousPlan: plan, recheck: true });
    expect(errorOf(look)?.code).toBe("DUPLICATE_ID");
  });

  it("counts again for another viewer, counter, view, tools or window, and says which", () => {
    const agent = { id: "w", role: "worker" } as const;
    const viewed: TokenCounter = {
      ...counter,
      countEntry: (entry, viewer) => (viewer?.agentId === entry.agent?.id ? 1 : 300),
      countRequest: (tools = []) => tools.length,
    };
    const log = [
      userMessage({ id: "u", content: "q" }),
      ...["f", "g", "h"].map((id) => final({ id, agent, content: id })),
    ];
    const options = { window: { contextTokens: 700 }, counter: viewed, viewer: { agentId: "w" } };
    const { plan } = fitToWindow(log, options);
    const others: readonly (readonly [string, Partial<FitOptions>])[] = [
      ["viewer", { viewer: { agentId: "m" } }],
      ["viewer", { viewer: {} }],
      ["counter", { counter: { ...viewed, id: "other" } }],
      ["view", { view: "conversation" }],
      ["request", { tools: [{ name: "t" }] }],
      ["window", { window: { contextTokens: 701 } }],
      ["window", { window: { contextTokens: 700, marginTokens: 1 } }],
      ["window", { window: { contextTokens: Infinity } }],
    ];
    for (const [stoppedBy, changed] of others) {
      const all = { ...options, ...changed };
      const fitted = fitToWindow(log, { ...all, previousPlan: plan });
      expect(fitted.plan.continued).toEqual({ entryCount: 0, stoppedBy });
      const { previousPlan, ...again } = { ...all, previousPlan: plan };
      expect(fitted.entries).toEqual(fitToWindow(log, again).entries);
    }
    expect(fitToWindow(log, { ...options, previousPlan: plan }).plan.continued).toEqual({
      entryCount: 4,
    });
  });
});

/** Fits a history, and then another with the plan of the first; expects the laws of both, and of the plan as it was stored. */
function fitTwice(
  before: readonly HistoryEntry[],
  after: readonly HistoryEntry[],
  window: ModelWindow = { contextTokens: 1000 },
): Reduction {
  const { plan } = fitToWindow(before, { window, counter });
  const warm = fitToWindow(after, { window, counter, previousPlan: plan });
  const stored = JSON.parse(JSON.stringify(plan));
  const cold = fitToWindow(structuredClone(after), { window, counter, previousPlan: stored });
  expect(cold).toEqual(warm);
  expectLaws(after, warm, { window: window.contextTokens, counter });
  return warm;
}
