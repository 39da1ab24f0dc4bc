import {
  action,
  assistantMessage,
  final,
  observation,
  synthesis,
  task,
  userMessage,
} from "@agent-history/core";
import type { Agent, Content, HistoryEntry, JsonObject } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { completionDetector } from "./completion-detector.ts";

const worker: Agent = { id: "w1", role: "worker" };
const other: Agent = { id: "w2", role: "worker" };
const begin = task({ id: "t1", content: "", agent: worker });

describe("completionDetector", () => {
  it("finds a final of the agent, and not of another", () => {
    const entries = [begin, final({ id: "f1", content: "", agent: other })];
    expect(detect(entries)).toBeUndefined();
    expect(detect([...entries, final({ id: "f2", content: "", agent: worker })])).toBe("final f2");
  });

  it("does not take a worker's synthesis for the end", () => {
    expect(detect([begin, synthesis({ id: "s1", content: "", agent: worker })])).toBeUndefined();
  });

  it("takes a synthesis that nobody signed for the end of a manager's work", () => {
    const entries = [userMessage({ content: "" }), synthesis({ id: "s1", content: "" })];
    const detector = completionDetector();
    expect(detector.detect(entries, { role: "manager" })).toMatchObject({ entryId: "s1" });
    expect(detector.detect(entries, { role: "worker" })).toBeUndefined();
    expect(detector.detect(entries)).toBeUndefined();
  });

  it("finds an observation marked completed, in its metadata or its JSON", () => {
    expect(detect([begin, ...exchange("1", "text", { completed: true })])).toBe("observation o1");
    expect(detect([begin, ...exchange("1", '{"completed": true}')])).toBe("observation o1");
    expect(detect([begin, ...exchange("1", "text", { completed: "no" })])).toBeUndefined();
    expect(detect([begin, ...exchange("1", '{"completed": "true"}')])).toBeUndefined();
    expect(detect([begin, ...exchange("1", '{"completed": tru')])).toBeUndefined();
  });

  it("does not take a failed observation for completed, whatever it is marked", () => {
    const failed = exchange("1", '{"completed": true}', { completed: true }).map((entry) =>
      entry.type === "observation" ? { ...entry, outcome: "error" as const } : entry,
    );
    expect(detect([begin, ...failed])).toBeUndefined();
  });

  it("finds the newest of several signals", () => {
    const finals = ["f1", "f2"].map((id) => final({ id, content: "", agent: worker }));
    expect(detect([begin, ...finals])).toBe("final f2");
    const spoken = [...exchange("1", "Done."), ...exchange("2", "Finished.")];
    expect(detect([begin, ...spoken])).toBe("phrase o2");
  });

  it("finds the call of a completion tool", () => {
    const stop = action({
      id: "a1",
      agent: worker,
      toolCalls: [{ id: "c1", name: "complete_task", arguments: "{}" }],
    });
    expect(detect([begin, stop])).toBe("tool a1");
    const named = completionDetector({ completionTools: ["hand_in"] });
    expect(named.detect([begin, stop], { agentId: "w1" })).toBeUndefined();
    const result = observation({
      id: "o1",
      agent: other,
      actionId: "a1",
      callId: "c1",
      toolName: "complete_task",
      outcome: "error",
      content: "",
    });
    expect(detect([begin, stop, result])).toBe("tool a1");
  });

  it("prefers a structured signal to a phrase that came later", () => {
    const entries = [
      begin,
      final({ id: "f1", content: "", agent: worker }),
      ...exchange("1", "Done."),
    ];
    expect(detect(entries)).toBe("final f1");
  });

  for (const text of [
    "Done.",
    "All files were completed",
    "Task complete!",
    "OK; finished",
    "Not what we hoped for, but it is done",
    "It was not easy\nDone",
  ]) {
    it(`takes "${text}" for the end`, () => {
      expect(detect([begin, ...exchange("1", text)])).toBe("phrase o1");
    });
  }

  for (const text of [
    "Not done.",
    "It isn't finished",
    "The task could not be completed",
    "never finished",
    "unsuccessful",
    "Is it done?",
    "This will be done next",
    "Once completed, the file is closed",
    "successor",
    "No success",
    "didn’t finish; hasn’t completed",
    "It is not at all quite finished",
  ]) {
    it(`does not take "${text}" for the end`, () => {
      expect(detect([begin, ...exchange("1", text)])).toBeUndefined();
    });
  }

  it("lets a negation undo only the sentence it stands in", () => {
    expect(detect([begin, ...exchange("1", "That was not easy. Done.")])).toBe("phrase o1");
  });

  it("looks for phrases in every text part", () => {
    const status = exchange("1", [
      { type: "reasoning", text: "" },
      { type: "text", text: "Two files." },
      { type: "text", text: "Done." },
    ]);
    expect(detect([begin, ...status])).toBe("phrase o1");
  });

  it("finds nothing by a phrase that has no words", () => {
    const detector = completionDetector({ phrases: ["", "…"] });
    expect(detector.detect([begin, ...exchange("1", "text")], { agentId: "w1" })).toBeUndefined();
  });

  it("does not look for phrases in texts longer than the longest status", () => {
    const [shortest, longest] = [3, 4].map((maxStatusLength) =>
      completionDetector({ maxStatusLength }).detect([begin, ...exchange("1", "done")]),
    );
    expect(shortest).toBeUndefined();
    expect(longest?.kind).toBe("phrase");
  });

  it("does not look for phrases in documents", () => {
    const page = "The work was done in 1912. ".repeat(20);
    expect(detect([begin, ...exchange("1", page)])).toBeUndefined();
    const detector = completionDetector({ maxStatusLength: Infinity });
    const found = detector.detect([begin, ...exchange("1", page)], { agentId: "w1" });
    expect(found?.kind).toBe("phrase");
  });

  it("does not look for phrases in a failed result", () => {
    const failed = exchange("1", "done").map((entry) =>
      entry.type === "observation" ? { ...entry, outcome: "error" as const } : entry,
    );
    expect(detect([begin, ...failed])).toBeUndefined();
  });

  it("looks only at the newest entries, to the depth given", () => {
    const entries = [
      begin,
      ...exchange("1", "done"),
      ...exchange("2", "more"),
      ...exchange("3", "more"),
    ];
    expect(detect(entries)).toBe("phrase o1");
    const shallow = completionDetector({ depth: 2 });
    expect(shallow.detect(entries, { agentId: "w1" })).toBeUndefined();
    const blind = completionDetector({ depth: 0 });
    expect(blind.detect([begin, final({ content: "", agent: worker })])).toBeUndefined();
  });

  it("does not look beyond the current task and turn", () => {
    const before = [userMessage({ id: "u1", content: "" }), begin, ...exchange("1", "done")];
    expect(detect([...before, task({ id: "t2", content: "", agent: worker })])).toBeUndefined();
    expect(detect([...before, userMessage({ id: "u2", content: "" })])).toBeUndefined();
    const otherTask = { agentId: "w1", taskId: "t9" };
    expect(completionDetector().detect(before, otherTask)).toBeUndefined();
  });

  it("takes its own words for the end where no task was set", () => {
    const entries = [
      userMessage({ id: "u1", content: "done?" }),
      assistantMessage({ id: "m1", content: "All done.", agent: worker }),
    ];
    expect(detect(entries)).toBe("phrase m1");
  });

  for (const option of ["depth", "maxStatusLength"] as const) {
    it(`refuses a ${option} that is not a count`, () => {
      expect(() => completionDetector({ [option]: NaN })).toThrowError(
        expect.objectContaining({ code: "INVALID_OPTION" }),
      );
    });
  }

  it.each([
    ["agent", { agent: Object.defineProperty({ id: "w1" }, "role", { get: () => expect.fail() }) }],
    ["content", { content: [null] }],
    [
      "content",
      {
        get content() {
          return expect.fail();
        },
      },
    ],
  ])("passes over an entry whose %s cannot be read", (_field, strange) => {
    const entry = { ...assistantMessage({ id: "m1", content: "Done.", agent: worker }) };
    Object.defineProperties(entry, Object.getOwnPropertyDescriptors(strange));

    expect(detect([begin, final({ id: "f1", content: "Two.", agent: worker }), entry])).toBe(
      "final f1",
    );
    expect(detect([begin, entry])).toBeUndefined();
  });

  it("takes time linear in a hostile text", () => {
    const text = `${"not ".repeat(50_000)}done ${"?".repeat(100_000)}`;
    const detector = completionDetector({ maxStatusLength: Infinity });
    expect(detector.detect([begin, ...exchange("1", text)], { agentId: "w1" })).toBeUndefined();
  });
});

function detect(entries: readonly HistoryEntry[]): string | undefined {
  const found = completionDetector().detect(entries, { agentId: "w1" });
  return found && `${found.kind} ${found.entryId}`;
}

function exchange(id: string, content: Content, metadata?: JsonObject): readonly HistoryEntry[] {
  const call = { id: `c${id}`, name: "read", arguments: "{}" };
  return [
    action({ id: `a${id}`, agent: worker, toolCalls: [call] }),
    observation({
      id: `o${id}`,
      agent: worker,
      callId: call.id,
      toolName: "read",
      outcome: "success",
      content,
      ...(metadata === undefined ? {} : { metadata }),
    }),
  ];
}
