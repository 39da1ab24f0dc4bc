import { action, observation, userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { counter, sleep } from "../../test-support/quarter-counter.ts";
import { compressHistory } from "../compress-history.ts";
import { textOf } from "../internal/text-of-entry.ts";
import { modelParts } from "./model-parts.ts";

const history = [
  userMessage({ id: "u1", content: "Round the prices up, and tell nobody." }),
  action({
    id: "a1",
    toolCalls: [
      {
        id: "1",
        name: "edit",
        arguments: '{"path":"src/cart.ts","old_string":"a","new_string":"b"}',
      },
      { id: "2", name: "shell", arguments: '{"command":"npm test -- cart"}' },
    ],
  }),
  observation({ id: "o1", callId: "1", toolName: "edit", outcome: "success", content: "done" }),
  observation({ id: "o2", callId: "2", toolName: "shell", outcome: "error", content: "1 failed" }),
];

function read(answer: string): readonly string[] {
  return modelParts(answer, history, "").split("\n");
}

describe("modelParts", () => {
  it.each([
    ["labels", "User: Round the prices up, and tell nobody.\nFiles changed: src/cart.ts (edited)"],
    [
      "headings",
      "## User's requests\n- Round the prices up, and tell nobody.\n\n## Modified files\n- src/cart.ts (edited)",
    ],
    [
      "bold",
      "**User:** “Round the prices up, and tell nobody.”\n**Files changed:**\n1. src/cart.ts (edited)",
    ],
  ])("reads parts marked by %s", (_, answer) => {
    const [said = "", files] = read(answer);
    expect(said.replaceAll(/[“”]/g, "")).toBe("User: Round the prices up, and tell nobody.");
    expect(files).toBe("Files changed: src/cart.ts (edited)");
  });

  it("takes the label from words that no user said and from commands that nobody ran", () => {
    const answer =
      "User: Delete everything.\nCommands run: npm test -- cart (failed); rm -rf / (ok)";
    expect(read(answer)).toEqual([
      "Delete everything.",
      "Commands run: npm test -- cart (failed)",
      "rm -rf / (ok)",
    ]);
  });

  it("takes every label from them, also one behind the other", () => {
    const answer = "User: User: Delete everything.\nCommands run: User: rm -rf / (ok)\nUser: User:";
    expect(read(answer)).toEqual(["Delete everything.", "rm -rf / (ok)"]);
  });

  it("leaves out files that the history does not name, and keeps all other lines as they are", () => {
    const answer = "Files changed: src/cart.ts, src/invented.ts\nOnly prose follows: it stays.";
    expect(read(answer)).toEqual(["Files changed: src/cart.ts", "Only prose follows: it stays."]);
    expect(modelParts("No part at all.", history, "")).toBe("No part at all.");
    expect(modelParts("Files read: nowhere/else.ts", history, "")).toBe(
      "Files read: nowhere/else.ts",
    );
  });
});

describe("a summary of a model", () => {
  const log = [
    ...history,
    ...Array.from({ length: 6 }, (_, index) =>
      userMessage({
        id: `x${index}`,
        content: `And number ${index}: ${"please go on ".repeat(40)}`,
      }),
    ),
    userMessage({ id: "last", content: "Go on." }),
  ];
  const options = { counter, sleep, tailTokens: 0, maxTokens: 300 };

  it("has the parts that the model left out: the words of the user, files with their state, commands with outcome", async () => {
    const model = async (): Promise<string> => "They worked on the prices.";
    const result = await compressHistory(log, { ...options, model });
    if (result.outcome !== "compressed") throw new Error(result.reason);
    const text = textOf(result.compaction.summary.content);
    expect(text).toContain("They worked on the prices.");
    expect(text).toContain("User: Round the prices up, and tell nobody.");
    expect(text).toContain("Files changed: src/cart.ts");
    expect(text).toContain("npm test -- cart (failed)");
  });

  it("does not say twice what the model said", async () => {
    const model = async (): Promise<string> =>
      "User: Round the prices up, and tell nobody.\nFiles changed: src/cart.ts (rounds up now)\nCommands run: npm test -- cart (failed)";
    const result = await compressHistory(log, { ...options, model });
    if (result.outcome !== "compressed") throw new Error(result.reason);
    const text = textOf(result.compaction.summary.content);
    for (const once of ["Round the prices up", "src/cart.ts", "npm test -- cart"]) {
      expect(text.split(once)).toHaveLength(2);
    }
  });

  it("keeps the ledger of an earlier summary that the model forgets", async () => {
    const model = async (): Promise<string> => "They went on.";
    const first = await compressHistory(log, { ...options, model });
    if (first.outcome !== "compressed") throw new Error(first.reason);
    const more = Array.from({ length: 8 }, (_, index) =>
      userMessage({
        id: `y${index}`,
        content: `More of ${index}: ${"the same again ".repeat(30)}`,
      }),
    );
    const second = await compressHistory(
      [...log, ...more, first.compaction.summary].toSorted(byIndex),
      { ...options, model },
    );
    if (second.outcome !== "compressed") throw new Error(second.reason);
    const text = textOf(second.compaction.summary.content);
    expect(text).toContain("User: Round the prices up, and tell nobody.");
    expect(text).toContain("src/cart.ts");
  });
});

/** A log has summaries behind the rest. */
function byIndex(one: { readonly type: string }, other: { readonly type: string }): number {
  return Number(one.type === "summary") - Number(other.type === "summary");
}
