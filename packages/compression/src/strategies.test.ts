import { memory, systemMessage } from "@agent-history/core";
import type { CompressionStrategy, HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { chat, codeOf, coveredIds, options } from "../test-support/chat.ts";
import { goodModel } from "../test-support/model-zoo.ts";
import { compressHistory } from "./compress-history.ts";
import type { CompressOptions } from "./compress-options.ts";
import {
  chunked,
  fromLastNMessages,
  fromTimestamp,
  noCompression,
  retrieveFacts,
  wholeHistoryPerSystemMessage,
  wholeHistory,
} from "./strategies.ts";

const system = systemMessage({ id: "s", content: "Be brief." });
const history = [system, ...chat(4)];

describe("wholeHistory", () => {
  it("puts one summary in place of everything but what survives", async () => {
    const all = ["u1 a1 u2 a2 u3 a3 u4 a4"];
    expect(await coveredIds(history, { strategy: wholeHistory })).toEqual(all);
    expect(await coveredIds(history, {})).toEqual(all);
  });
});

describe("noCompression", () => {
  it("compresses nothing", async () => {
    const result = await compressHistory(history, { ...options, strategy: noCompression });
    expect(result).toMatchObject({ outcome: "not-needed", cause: "strategy" });
  });
});

describe("wholeHistoryPerSystemMessage", () => {
  it("makes one summary for each block that a system message begins", async () => {
    const other = systemMessage({ id: "s2", content: "Be long." });
    const third = systemMessage({ id: "s3", content: "Be kind." });
    const [before, after] = [chat(2).slice(0, -1), chat(2, 3)];
    const strategy = wholeHistoryPerSystemMessage;
    expect(await coveredIds([system, ...before, other, third, ...after], { strategy })).toEqual([
      "u1 a1 u2 a2",
      "u3 a3 u4 a4",
    ]);
    // What comes before the first system message belongs to its block.
    expect(await coveredIds([...before, system, ...after], { strategy })).toEqual([
      "u1 a1 u2 a2 u3 a3 u4 a4",
    ]);
  });
});

describe("fromLastNMessages", () => {
  it("covers all, and reads the last so many messages", async () => {
    expect(await coveredIds(history, { strategy: fromLastNMessages(3) })).toEqual([
      "u1 a1 u2 a2 u3 a3 u4 a4",
    ]);
    expect(await readBy(history, { strategy: fromLastNMessages(3) })).toBe("a3 u4 a4");
    expect(await readBy(history, { strategy: fromLastNMessages(1) })).toBe("a4");
    expect(await readBy(history, { strategy: fromLastNMessages(Infinity) })).toBe(
      "u1 a1 u2 a2 u3 a3 u4 a4",
    );
  });

  it("compresses nothing where it is to read nothing", async () => {
    expect(await coveredIds(history, { strategy: fromLastNMessages(0) })).toBe("not-needed");
  });

  it.each([-1, 1.5, Number.NaN])("refuses %d", async (count) => {
    expect(await codeOf(() => fromLastNMessages(count))).toBe("INVALID_OPTION");
  });
});

describe("fromTimestamp", () => {
  it("covers all, and reads what is of that time or newer", async () => {
    expect(await coveredIds(history, { strategy: fromTimestamp(3) })).toEqual([
      "u1 a1 u2 a2 u3 a3 u4 a4",
    ]);
    expect(await readBy(history, { strategy: fromTimestamp(3) })).toBe("u3 a3 u4 a4");
  });

  it("compresses nothing where nothing is that new", async () => {
    const strategy = fromTimestamp(Date.now() + 1e12);
    expect(await coveredIds(history, { strategy })).toBe("not-needed");
  });

  it.each([Number.NaN, Infinity])("refuses %d", async (sinceMs) => {
    expect(await codeOf(() => fromTimestamp(sinceMs))).toBe("INVALID_OPTION");
  });
});

describe("chunked", () => {
  it("makes one summary for each chunk, in order, the last one smaller", async () => {
    expect(await coveredIds(history, { strategy: chunked({ size: 3 }) })).toEqual([
      "u1 a1 u2",
      "a2 u3 a3",
      "u4 a4",
    ]);
    expect(await coveredIds(history, { strategy: chunked({ maxTokens: 200 }) })).toEqual([
      "u1 a1 u2 a2",
      "u3 a3 u4 a4",
    ]);
    expect(await coveredIds(history, { strategy: chunked({ size: Infinity }) })).toHaveLength(1);
  });

  it("leaves earlier summaries as they are", async () => {
    const first = await compressHistory(history, options);
    const made = first.outcome === "compressed" ? [first.compaction.summary] : [];
    const longer = [system, ...made, ...chat(4, 5)];
    const strategy = chunked({ size: 4 });
    expect(await coveredIds(longer, { strategy })).toEqual(["u5 a5 u6 a6", "u7 a7 u8 a8"]);
  });

  it.each([{}, { size: 0 }, { maxTokens: 0 }, { size: -1 }, { size: Number.NaN }])(
    "refuses %j",
    async (given) => {
      expect(await codeOf(() => chunked(given))).toBe("INVALID_OPTION");
    },
  );
});

describe("retrieveFacts", () => {
  const concept = { keyword: "answers", description: "Given answers", factType: "multiple" };

  it("puts the facts of the concepts in place of what it covers", async () => {
    const strategy = retrieveFacts([{ ...concept, factType: "multiple" }]);
    expect(await coveredIds(history, { strategy })).toEqual(["u1 a1 u2 a2 u3 a3 u4 a4"]);
  });

  it.each([
    [[]],
    [[{ ...concept, keyword: "" }]],
    [[{ ...concept, keyword: "  " }]],
    [[{ ...concept, description: "" }]],
    [[concept, concept]],
    [[{ ...concept, factType: "some" }]],
    ["answers"],
  ])("refuses %j", async (concepts) => {
    const given: Parameters<typeof retrieveFacts>[0] = JSON.parse(JSON.stringify(concepts));
    expect(await codeOf(() => retrieveFacts(given))).toBe("INVALID_OPTION");
  });
});

describe("a strategy of one's own", () => {
  it("is any function that names items, and is kept to the laws", async () => {
    const kept = memory({ id: "m", content: "They like trains.".padEnd(200, " word") });
    const strategy: CompressOptions["strategy"] = ({ items }) => ({
      strategy: "important",
      spans: [{ covers: items.concat(items), reads: items.slice(2, 4) }],
    });
    const entries = [system, kept, ...chat(3)];
    expect(await coveredIds(entries, { strategy })).toEqual(["u1 a1 u2 a2 u3 a3"]);
    expect(await readBy(entries, { strategy })).toBe("u1 a1");
    const result = await compressHistory(entries, { ...options, strategy });
    expect(result).toMatchObject({ compaction: { summary: { strategy: "important" } } });
    expect(await coveredIds(entries, { strategy, preserveMemory: false })).toEqual([
      "m u1 a1 u2 a2 u3 a3",
    ]);
  });

  it("fails without harm where it is no strategy", async () => {
    for (const made of [null, {}, { spans: 3 }, { spans: [null] }]) {
      const strategy: CompressionStrategy = () => JSON.parse(JSON.stringify(made));
      expect(await coveredIds(history, { strategy })).toBe("failed");
    }
  });
});

/** The ids of what the model was shown, by the word that each message has. */
async function readBy(
  entries: readonly HistoryEntry[],
  more: Partial<CompressOptions>,
): Promise<string> {
  const prompts: string[] = [];
  const model: CompressOptions["model"] = (request) => {
    prompts.push(request.prompt);
    return goodModel(request);
  };
  await compressHistory(entries, { ...options, ...more, model });
  const words = prompts.join("\n").match(/(?:Question|Answer) \d/g) ?? [];
  return words.map((word) => word.replace("Question ", "u").replace("Answer ", "a")).join(" ");
}
