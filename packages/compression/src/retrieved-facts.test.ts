import type { SummaryModel, SummaryRequest } from "@agent-history/core";
import { userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { chat, options } from "../test-support/chat.ts";
import { compressHistory } from "./compress-history.ts";
import type { CompressOptions } from "./compress-options.ts";
import { textOf } from "./internal/data-text.ts";
import { retrieveFacts } from "./strategies.ts";

const strategy = retrieveFacts([
  { keyword: "user_preferences", description: "What the user likes", factType: "multiple" },
  { keyword: "issue_solved", description: "Was the issue resolved?", factType: "single" },
]);
const LIKES = "user_preferences:\n- They like trains.\n- They like maps.";
const SOLVED = "issue_solved:\n- It may be solved.\n- It is not solved.";

describe("retrieveFacts with a model", () => {
  it("asks for all concepts at once and lists what it found, one of a single fact", async () => {
    const requests: SummaryRequest[] = [];
    const text = await factsBy(answering(requests, `${SOLVED}\n${LIKES}`));
    expect(requests).toHaveLength(1);
    expect(requests[0]?.instructions).toContain('"keyword":"user_preferences"');
    expect(factLines(text)).toEqual([
      "issue_solved: It is not solved.",
      "user_preferences: They like trains.",
      "user_preferences: They like maps.",
    ]);
  });

  it("reads keywords and facts as models write them", async () => {
    const answer = "Here:\n```\n## **user_preferences:** They like trains.\n* They like  trains.\n";
    expect(factLines(await factsBy(answering([], `${answer}issue_solved: none`)))).toEqual([
      "user_preferences: They like trains.",
    ]);
  });

  it("asks again where an answer names no keyword, and fails after the last attempt", async () => {
    const requests: SummaryRequest[] = [];
    expect(factLines(await factsBy(answering(requests, "They like trains.", LIKES)))).toHaveLength(
      2,
    );
    expect(requests[1]?.instructions).toContain("it named none of the keywords");
    expect(await factsBy(answering([], "They like trains."))).toBe("failed");
  });

  it("is not beneficial where there are no facts", async () => {
    expect(await factsBy(answering([], "user_preferences:\nissue_solved:\n- None."))).toBe(
      "not-beneficial",
    );
  });

  it("reads piece by piece: several facts add up, of a single one the newest holds", async () => {
    const two = "user_preferences:\n- They like boats.\nissue_solved:\n- It is solved now.";
    const text = await factsBy(answering([], `${LIKES}\n${SOLVED}`, two), {
      contextTokens: 1800,
      entries: [...chat(12)],
    });
    expect(factLines(text)).toEqual([
      "user_preferences: They like trains.",
      "user_preferences: They like maps.",
      "user_preferences: They like boats.",
      "issue_solved: It is solved now.",
    ]);
  });

  it("takes over the facts of an earlier summary", async () => {
    const model = answering([], `${LIKES}\n${SOLVED}`);
    const first = await compressHistory(chat(4), { ...options, strategy, model });
    const earlier = first.outcome === "compressed" ? [first.compaction.summary] : [];
    const later = "issue_solved:\n- It is solved.";
    const text = await factsBy(answering([], later), { entries: [...earlier, ...chat(4, 5)] });
    expect(factLines(text)).toEqual([
      "user_preferences: They like trains.",
      "user_preferences: They like maps.",
      "issue_solved: It is solved.",
    ]);
  });

  it("keeps the cap, and leaves room for each concept", async () => {
    const many = Array.from({ length: 20 }, (_, index) => `- They like number ${index}.`);
    const text = await factsBy(answering([], ["user_preferences:", ...many, SOLVED].join("\n")), {
      entries: chat(20),
      maxTokens: 330,
    });
    expect(text).toContain("issue_solved: It is not solved.");
    expect(text).toContain("number 0.");
  });
});

describe("retrieveFacts without a model", () => {
  it("takes the sentences that have most to do with a concept, and adds to an earlier summary", async () => {
    const { model, ...others } = options;
    const told = userMessage({
      id: "t",
      content: "Lunch was good. My preferences are trains and maps. The issue is resolved.",
    });
    const offline = { ...others, strategy };
    const first = await compressHistory([told, ...chat(4)], offline);
    if (first.outcome !== "compressed") throw new Error(first.outcome);
    const text = textOf(first.compaction.summary.content);
    expect(factLines(text)).toEqual([
      "user_preferences: My preferences are trains and maps.",
      "issue_solved: The issue is resolved.",
    ]);
    const more = userMessage({ id: "m", content: "My preferences are boats too." });
    const newId = (): string => "s2";
    const second = await compressHistory([first.compaction.summary, more, ...chat(4, 5)], {
      ...offline,
      newId,
    });
    if (second.outcome !== "compressed") throw new Error(second.outcome);
    expect(factLines(textOf(second.compaction.summary.content))).toEqual([
      "user_preferences: My preferences are trains and maps.",
      "user_preferences: My preferences are boats too.",
      "issue_solved: The issue is resolved.",
    ]);
  });

  it("is not beneficial where nothing has to do with the concepts", async () => {
    const { model, ...others } = options;
    const result = await compressHistory(chat(4), { ...others, strategy });
    expect(result.outcome).toBe("not-beneficial");
  });
});

function factLines(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => (line.startsWith("- ") ? line.slice(2) : []));
}

/** Gives one answer after the other, the last for ever. */
function answering(requests: SummaryRequest[], ...answers: readonly string[]): SummaryModel {
  const left = [...answers];
  return async (request) => {
    requests.push(request);
    return (left.length > 1 ? left.shift() : left[0]) ?? "";
  };
}

async function factsBy(
  model: SummaryModel,
  {
    entries = chat(4),
    ...more
  }: Partial<CompressOptions> & { readonly entries?: Parameters<typeof compressHistory>[0] } = {},
): Promise<string> {
  const result = await compressHistory(entries, {
    ...options,
    strategy,
    model,
    ...more,
  });
  return result.outcome === "compressed"
    ? textOf(result.compaction.summary.content)
    : result.outcome;
}
