import { describe, expect, it } from "vitest";

import { checkHistory } from "./check-history.ts";
import {
  action,
  assistantMessage,
  globalObservation,
  observation,
  summary,
  systemMessage,
  task,
  userMessage,
} from "./create-entries.ts";
import type { HistoryEntry } from "./history-entry.ts";

const system = systemMessage({ id: "s1", content: "Be brief." });
const question = userMessage({ id: "u1", content: "Why?" });
const call = action({ id: "a1", toolCalls: [{ id: "c1", name: "search", arguments: "{}" }] });
const result = observation({
  id: "o1",
  callId: "c1",
  toolName: "search",
  outcome: "success",
  content: "42",
  sources: [{ number: 1, id: "doc-1", text: "42" }],
});
const answer = assistantMessage({ id: "m1", content: "Because [source1]." });
const sound = [system, question, call, result, answer];

describe("checkHistory", () => {
  it("finds nothing in a sound history", () => {
    expect(rules(sound, sound)).toEqual([]);
  });

  it("allows the last action of an agent to wait for its results", () => {
    expect(rules([system, question, call])).toEqual([]);
  });

  it("finds a call that was never answered", () => {
    expect(rules([question, call, answer])).toEqual(["L1 unanswered-call a1"]);
  });

  it("finds a result without its call", () => {
    expect(rules([question, result, answer])).toEqual(["L1 orphan-result o1"]);
  });

  it("finds a result that stands apart from its action", () => {
    expect(rules([call, question, result])).toContain("L1 scattered-exchange o1");
  });

  it("finds two entries of one id", () => {
    expect(rules([question, { ...question }])).toEqual(["L1 duplicate-id u1"]);
  });

  it("finds a call without an id", () => {
    const nameless = { ...call, toolCalls: [{ id: "", name: "search", arguments: "{}" }] };
    expect(rules([nameless, { ...result, callId: "" }])).toEqual(["L1 missing-call-id a1"]);
  });

  it("finds a number that stands for two sources", () => {
    const again = renumbered("o2", "c2", "doc-2");
    expect(rules([...sound, ...again])).toEqual(["L6 number-reused o2"]);
    expect(rules([...sound, ...again, ...renumbered("o3", "c3", "doc-1")])).toEqual([
      "L6 number-reused o2",
    ]);
    const sources = [{ number: 1, id: "doc-2", text: "" }];
    const global = globalObservation({ id: "g1", content: "", sources });
    expect(rules([...sound, global])).toEqual(["L6 number-reused g1"]);
  });

  it("finds a number that stood for another source before", () => {
    const changed = { ...result, sources: [{ number: 1, id: "doc-9", text: "42" }] };
    expect(rules([system, question, call, changed, answer], sound)).toEqual([
      "L6 number-changed o1",
    ]);
  });

  it("takes an entry whose id comes again for any of those that bear it", () => {
    const before = [system, question, system, answer];
    expect(rules([system, question, answer], before)).toEqual([]);
    expect(rules([question, system, answer], before)).toEqual([]);
    expect(rules([system, answer, question], before)).toContain("L2 order-changed u1");
  });

  it("finds entries that changed their order", () => {
    expect(rules([question, system, call, result, answer], sound)).toEqual(["L2 order-changed s1"]);
    expect(rules([call, result, system, question, answer], sound)).toEqual([
      "L2 order-changed s1",
      "L2 order-changed u1",
    ]);
  });

  it("allows a result to be drawn to its action", () => {
    const note = userMessage({ id: "u0", content: "note" });
    const scattered = [question, call, answer, result];
    expect(rules([note, question, call, result, answer], [note, ...scattered])).toEqual([]);
  });

  it("finds a system message that is gone, or was changed", () => {
    expect(rules([question, call, result, answer], sound)).toEqual(["L2 system-message-lost s1"]);
    const changed = { ...system, content: "Be long." };
    expect(rules([changed, ...sound.slice(1)], sound)).toEqual(["L2 system-message-changed s1"]);
  });

  it("finds that a provider's own compaction is gone", () => {
    const own = summary({ id: "p1", content: [], strategy: "provider", trust: "tool" });
    expect(rules([question], [own, question])).toEqual(["L2 system-message-lost p1"]);
  });

  it("finds that the newest question is gone, or was changed", () => {
    expect(rules([system, call, result, answer], sound)).toEqual([
      "L3 question-lost u1",
      "L15 begins-with-answer a1",
    ]);
    const changed = { ...question, content: "Wh" };
    expect(rules([system, changed, call, result, answer], sound)).toEqual([
      "L3 question-changed u1",
    ]);
  });

  it("lets an older question go", () => {
    const older = userMessage({ id: "u0", content: "Who?" });
    expect(rules(sound, [older, ...sound])).toEqual([]);
  });

  it("takes the same fields in another order for the same entry", () => {
    const { content, ...others } = system;
    expect(rules([{ content, ...others }, ...sound.slice(1)], sound)).toEqual([]);
  });

  it("takes the task for the question where there is no user message", () => {
    const work = task({ id: "t1", content: "Count.", agent: { id: "w1", role: "worker" } });
    expect(rules([call, result], [work, call, result])).toEqual(["L3 question-lost t1"]);
    const older = { ...work, id: "t0" };
    expect(rules([work, call, result], [older, work, call, result])).toEqual([]);
  });

  it("finds that the running exchange was dropped, cut or changed", () => {
    const before = [system, question, call, result];
    const changed = { ...call, toolCalls: [{ id: "c1", name: "search", arguments: "[]" }] };
    expect(rules([system, question, changed, result], before)).toEqual([
      "L3 running-exchange-lost a1",
    ]);
    expect(rules([system, question, { ...call, content: "cleaned" }, result], before)).toEqual([]);
    const lost = ["L3 running-exchange-lost a1", "L16 newest-lost o1"];
    expect(rules([system, question], before)).toEqual(lost);
    expect(rules([system, question, call], before)).toEqual(lost);
  });

  it("allows results of the running exchange to be shrunk", () => {
    const shrunk = { ...result, content: "4…" };
    expect(rules([system, question, call, shrunk], [system, question, call, result])).toEqual([]);
  });

  it("finds a call that was kept without the call that made it", () => {
    const outer = action({ id: "a1", toolCalls: [{ id: "p", name: "code", arguments: "" }] });
    const fields = { toolName: "read", outcome: "success", content: "" } as const;
    const inner = action({
      id: "a2",
      toolCalls: [{ id: "c", name: "read", arguments: "{}", callerId: "p" }],
    });
    const results = [
      observation({ id: "o2", callId: "c", ...fields }),
      observation({ id: "o1", callId: "p", ...fields }),
    ];
    const before = [outer, inner, ...results, userMessage({ id: "u2", content: "" })];
    expect(rules(before, before)).toEqual([]);
    expect(
      rules(
        [inner, results[0], before[4]].flatMap((entry) => entry ?? []),
        before,
      ),
    ).toEqual(["L1 split-exchange a1", "L15 begins-with-answer a2"]);
    expect(rules([outer, results[1], inner, results[0]].flatMap((entry) => entry ?? []))).toEqual(
      [],
    );
    expect(rules(before.slice(4), before)).toEqual([]);
  });

  it.each([5, null, "before", {}, new Set()])(
    "refuses %s, which is no list, as what was before",
    (before) => {
      const check = (): unknown => Reflect.apply(checkHistory, undefined, [[question], { before }]);
      expect(check).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
    },
  );

  it("never quotes content", () => {
    const secret = "SECRET";
    const broken = [
      userMessage({ id: "u1", content: secret }),
      { ...result, content: secret, sources: [{ number: 1, id: "a", text: secret }] },
      { ...result, id: "o2", sources: [{ number: 1, id: "b", text: secret }] },
    ];
    const messages = checkHistory([], { before: broken }).concat(checkHistory(broken));
    expect(messages.length).toBeGreaterThan(3);
    expect(JSON.stringify(messages)).not.toContain(secret);
  });
});

function rules(
  entries: readonly HistoryEntry[],
  before?: readonly HistoryEntry[],
): readonly string[] {
  const options = before === undefined ? {} : { before };
  return checkHistory(entries, options).map(
    ({ law, rule, entryId }) => `${law} ${rule} ${entryId}`,
  );
}

function renumbered(id: string, callId: string, sourceId: string): readonly HistoryEntry[] {
  return [
    action({ id: `${id}-action`, toolCalls: [{ id: callId, name: "search", arguments: "{}" }] }),
    observation({
      id,
      callId,
      toolName: "search",
      outcome: "success",
      content: "",
      sources: [{ number: 1, id: sourceId, text: "" }],
    }),
  ];
}
