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
const LIKES = { keyword: "user_preferences", facts: ["They like trains.", "They like maps."] };
const SOLVED = { keyword: "issue_solved", facts: ["It is not solved.", "Or it is."] };

describe("retrieveFacts with a model", () => {
  it("asks for all concepts at once and lists what it found, one of a single fact", async () => {
    const requests: SummaryRequest[] = [];
    const text = await factsBy(answering(requests, JSON.stringify({ facts: [SOLVED, LIKES] })));
    expect(requests).toHaveLength(1);
    expect(requests[0]?.instructions).toContain('"keyword":"user_preferences"');
    expect(text).toContain(
      "user_preferences:\n- They like trains.\n- They like maps.\nissue_solved:\n- It is not solved.\n</summary>",
    );
  });

  it("reads JSON in a fence, and tidies what a fact is", async () => {
    const facts = [{ ...LIKES, facts: ["They\nlike\u2028trains. ", "", "They like trains."] }];
    const text = await factsBy(
      answering([], `Here:\n\`\`\`json\n${JSON.stringify({ facts })}\n\`\`\``),
    );
    expect(text).toContain("user_preferences:\n- They like trains.\n</summary>");
  });

  it("asks again with what was wrong, and keeps what was right after the last attempt", async () => {
    const requests: SummaryRequest[] = [];
    const partial = JSON.stringify({ facts: [LIKES, { keyword: "issue_solved", facts: "no" }] });
    const text = await factsBy(
      answering(requests, "none", partial, '{"facts":[{"keyword":"other","facts":[]}]}'),
    );
    expect(requests).toHaveLength(3);
    expect(requests[1]?.instructions).toContain("it was no JSON as asked");
    expect(requests[2]?.instructions).toContain("it was not as asked: facts.1.facts");
    expect(text).toContain("- They like maps.");
    expect(text).not.toContain("issue_solved");
  });

  it("fails where no answer held a fact, and is not beneficial where there are none", async () => {
    expect(await factsBy(answering([], "none", "[]", '{"facts":3}'))).toBe("failed");
    expect(await factsBy(answering([], '{"facts":[]}'))).toBe("not-beneficial");
    const empty = JSON.stringify({ facts: [{ ...LIKES, facts: [] }] });
    expect(await factsBy(answering([], empty))).toBe("not-beneficial");
  });

  it("reads piece by piece: several facts add up, of a single one the newest holds", async () => {
    const one = JSON.stringify({ facts: [LIKES, SOLVED] });
    const other = { keyword: "issue_solved", facts: ["It is solved now."] };
    const two = JSON.stringify({ facts: [{ ...LIKES, facts: ["They like boats."] }, other] });
    const text = await factsBy(answering([], one, two), {
      contextTokens: 1800,
      entries: [...chat(12)],
    });
    expect(text).toContain("- They like trains.\n- They like maps.\n- They like boats.");
    expect(text).toContain("issue_solved:\n- It is solved now.\n</summary>");
  });

  it("takes over the facts of an earlier summary", async () => {
    const first = await compressHistory(chat(4), {
      ...options,
      strategy,
      model: answering([], JSON.stringify({ facts: [LIKES, SOLVED] })),
    });
    const earlier = first.outcome === "compressed" ? [first.compaction.summary] : [];
    const later = JSON.stringify({
      facts: [{ keyword: "issue_solved", facts: ["It is solved."] }],
    });
    const text = await factsBy(answering([], later), { entries: [...earlier, ...chat(4, 5)] });
    expect(text).toContain(
      "- They like trains.\n- They like maps.\nissue_solved:\n- It is solved.\n</summary>",
    );
  });

  it("keeps the cap, and leaves room for each concept", async () => {
    const many = Array.from({ length: 500 }, (_, index) => `They like number ${index}.`);
    const facts = [{ ...LIKES, facts: many.slice(0, 20) }, SOLVED];
    const text = await factsBy(answering([], JSON.stringify({ facts })), {
      entries: chat(20),
      maxTokens: 330,
    });
    expect(text).toContain("- It is not solved.");
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
    expect(text).toContain("user_preferences:\n- My preferences are trains and maps.");
    expect(text).toContain("issue_solved:\n- The issue is resolved.");
    const more = userMessage({ id: "m", content: "My preferences are boats too." });
    const newId = (): string => "s2";
    const second = await compressHistory([first.compaction.summary, more, ...chat(4, 5)], {
      ...offline,
      newId,
    });
    if (second.outcome !== "compressed") throw new Error(second.outcome);
    expect(textOf(second.compaction.summary.content)).toContain(
      "- My preferences are trains and maps.\n- My preferences are boats too.\nissue_solved:\n- The issue is resolved.",
    );
  });

  it("is not beneficial where nothing has to do with the concepts", async () => {
    const { model, ...others } = options;
    const result = await compressHistory(chat(4), { ...others, strategy });
    expect(result.outcome).toBe("not-beneficial");
  });
});

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
