import {
  action,
  assistantMessage,
  attachment,
  type ContentPart,
  final,
  globalObservation,
  type HistoryEntry,
  isRendered,
  observation,
  renderSources,
  type Source,
  systemMessage,
  type TokenCounter,
  userMessage,
} from "@agent-history/core";
import { arbitraryEntry, deepFreeze, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createCounter } from "./create-counter.ts";

const source = { kind: "url", url: "https://example.org/a" } as const;
const sources: readonly Source[] = [
  { number: 3, id: "a", text: "Water boils at 100 °C.", title: "Physics" },
  { number: 7, id: "b", text: "Ice melts at 0 °C." },
];

describe("createCounter", () => {
  it("tokenizes an entry and a tool once, whoever asks and how often", () => {
    const { counter, texts } = recordingCounter();
    const entry = final({ content: "Found it.", agent: { id: "w1", role: "worker" } });
    const tool = { name: "search", description: "Searches." };

    counter.countEntry(entry, { agentId: "w1" });
    counter.countEntry(entry, { agentId: "m1" });
    counter.countRequest([tool]);
    const before = texts.length;
    counter.countEntry(entry, { agentId: "w1" });
    counter.countEntry(entry, { agentId: "m1" });
    counter.countEntry(entry, { agentId: "m1" });
    counter.countRequest([tool]);

    expect(texts.filter((text) => text === "Found it.")).toHaveLength(1);
    expect(texts).toHaveLength(before);
  });

  it("tokenizes an equal entry that is another object anew", () => {
    const { counter, texts } = recordingCounter();
    counter.countEntry(userMessage({ content: "Hello" }));
    counter.countEntry(userMessage({ content: "Hello" }));

    expect(texts.filter((text) => text === "Hello")).toHaveLength(2);
  });

  it("counts an integer of 0 or more, the same each time, and changes nothing", () => {
    fc.assert(
      fc.property(arbitraryEntry({ text: { maxLength: 100 } }), (entry) => {
        const { counter } = recordingCounter();
        const tokens = counter.countEntry(deepFreeze(entry));
        expect(Number.isInteger(tokens)).toBe(true);
        expect(tokens).toBeGreaterThanOrEqual(isRendered(entry) ? 4 : 0);
        expect(counter.countEntry(entry)).toBe(tokens);
        expect(counter.countEntry({ ...entry })).toBe(tokens);
      }),
      { numRuns: lawRuns(1000) },
    );
  });

  it("counts a message as 3, its role as the viewer has it, and its content", () => {
    const { counter } = recordingCounter();
    const report = final({ content: "Found it.", agent: { id: "w1", role: "worker" } });

    expect(counter.countEntry(report, { agentId: "w1" })).toBe(3 + "assistant".length + 9);
    expect(counter.countEntry(report, { agentId: "m1" })).toBe(3 + "user".length + 9);
    expect(counter.countEntry(report)).toBe(3 + "user".length + 9);
  });

  it("counts what a user's message is rendered as", () => {
    const rendered = "Answer briefly: Hi";

    expect(contentTokens(userMessage({ content: "Hi" }))).toBe(2);
    expect(contentTokens(userMessage({ content: "Hi", rendered }))).toBe(rendered.length);
  });

  it("counts sources below the content, and alone where there is none", () => {
    const result = { callId: "c1", toolName: "search", outcome: "success" } as const;
    const rendered = renderSources(sources);

    expect(contentTokens(observation({ ...result, content: "Two hits.", sources }))).toBe(
      `Two hits.\n\n${rendered}`.length,
    );
    expect(contentTokens(observation({ ...result, content: "", sources }))).toBe(rendered.length);
    expect(contentTokens(observation({ ...result, content: "None.", sources: [] }))).toBe(5);
    expect(contentTokens(globalObservation({ content: "See:", sources }))).toBe(
      `See:\n\n${rendered}`.length,
    );
    const parts = [{ type: "text", text: "Two hits." }] as const;
    expect(contentTokens(observation({ ...result, content: parts, sources }))).toBe(
      `Two hits.\n\n${rendered}`.length,
    );
  });

  it("counts every kind of part", () => {
    expect(contentTokens(saying({ type: "text", text: "Hello" }))).toBe(5);
    expect(contentTokens(saying({ type: "image", source }))).toBe(1000);
    expect(contentTokens(saying({ type: "file", source }))).toBe(2000);
    expect(contentTokens(saying({ type: "file", source, pages: 3, name: "a.pdf" }))).toBe(605);
    expect(contentTokens(saying({ type: "opaque", data: { a: 1 } }))).toBe('{"a":1}'.length);
    expect(contentTokens(saying({ type: "reasoning", text: "Hm.", data: "sealed" }))).toBe(11);
    expect(contentTokens(saying({ type: "reasoning", text: "", data: "sealed" }))).toBe(8);
    expect(contentTokens(saying({ type: "reasoning", text: "" }))).toBe(0);
  });

  it("counts encrypted reasoning by what it hides, or the text beside it, if that is more", () => {
    const data = { signature: "EqQB".repeat(100) };
    expect(contentTokens(saying({ type: "reasoning", text: "", data }))).toBe(100);
    expect(contentTokens(saying({ type: "reasoning", text: "Hm.", data }))).toBe(100);
    const text = "a".repeat(200);
    const named = '{"signature":""}'.length;
    expect(contentTokens(saying({ type: "reasoning", text, data }))).toBe(200 + named);
  });

  it("counts a name as 1 and its text", () => {
    const origin = { format: "openai-chat", message: "m1", index: 0, extra: { name: "anna" } };

    const patched = { ...origin, extra: { fields: { name: "anna" } } };
    const other = { ...origin, extra: { name: 3, fields: ["name"] } };

    expect(contentTokens(systemMessage({ content: "Hi", origin }))).toBe(2 + 1 + 4);
    expect(contentTokens(systemMessage({ content: "Hi", origin: patched }))).toBe(2 + 1 + 4);
    expect(contentTokens(systemMessage({ content: "Hi", origin: other }))).toBe(
      2 + '{"fields":["name"]}'.length,
    );
    expect(contentTokens(attachment({ messageId: "u1", content: "Hi", name: "a.txt" }))).toBe(8);
  });

  it("counts every other field by its JSON, wherever it stands, but for those that nobody is shown", () => {
    const extra = {
      as: "message",
      fields: { reasoning_details: [{ type: "reasoning.text", text: "Hm.", index: 0 }], id: "m1" },
      inner: { usage: { without: ["a"], fields: { cache_control: { type: "ephemeral" } } } },
    };
    const json = JSON.stringify({ fields: { reasoning_details: [{ text: "Hm." }] } });
    const origin = { format: "openai-chat", message: "m1", index: 0, extra };
    const call = { id: "c1", name: "now", arguments: "{}" };

    expect(contentTokens(userMessage({ content: "Hi", origin }))).toBe(2 + json.length);
    expect(contentTokens(saying({ type: "text", text: "Hi", extra }))).toBe(2 + json.length);
    expect(contentTokens(action({ toolCalls: [{ ...call, extra }] }))).toBe(3 + 5 + json.length);
  });

  it("counts missing and empty content as nothing", () => {
    const call = { id: "c1", name: "now", arguments: "" };
    const nothing = userMessage({ content: null as unknown as string });
    const noResult = { ...nothing, type: "observation", sources: [] } as unknown as HistoryEntry;

    expect(contentTokens(userMessage({ content: "" }))).toBe(0);
    expect(contentTokens(userMessage({ content: [] }))).toBe(0);
    expect(contentTokens(action({ toolCalls: [call] }))).toBe(3 + 3);
    expect(contentTokens(nothing)).toBe(0);
    expect(contentTokens(noResult)).toBe(0);
  });

  it("counts a request's primer, and its tools where it has any", () => {
    const { counter } = recordingCounter();
    const tool = { name: "search" };

    expect(counter.countRequest()).toBe(3);
    expect(counter.countRequest([])).toBe(3);
    expect(counter.countRequest([tool, { name: "read" }])).toBe(3 + 12 + 6 + 4);
  });
});

describe("countEntry of a result", () => {
  const image = { type: "image", source: { kind: "url", url: "https://a.example/p.png" } } as const;
  const result = observation({
    callId: "c1",
    toolName: "look",
    outcome: "success",
    content: [{ type: "text", text: "Seen:" }, image],
  });
  /** A message of the tool's, with its name. */
  const base = 3 + "tool".length + 1 + "look".length + "Seen:".length + 1000;

  it("counts an image as a part of it", () => {
    expect(recordingCounter().counter.countEntry(result)).toBe(base);
  });

  it("counts, where results are text, the line in its place and the user's message that shows it", () => {
    const label = "Shown by the result of look (call c1):";
    const beside = "[image]".length + 3 + "user".length + label.length;
    expect(recordingCounter(true).counter.countEntry(result)).toBe(base + beside);
    const plain = { ...result, content: "Seen:" };
    expect(recordingCounter(true).counter.countEntry(plain)).toBe(base - 1000);
  });
});

/** A counter of characters, and every text it was asked to count. */
function recordingCounter(resultsAreText = false): {
  readonly counter: TokenCounter;
  readonly texts: string[];
} {
  const texts: string[] = [];
  const countText = (text: string): number => {
    texts.push(text);
    return text.length;
  };
  const counter = createCounter({
    id: "characters",
    countText,
    media: {
      imageTokens: () => 1000,
      pageTokens: 200,
      audioTokensPerSecond: 10,
      videoTokensPerSecond: 100,
    },
    own: {},
    toolTokens: ({ name }) => countText(name),
    tokensOfTools: 12,
    resultsAreText,
  });
  return { counter, texts };
}

function saying(part: ContentPart): HistoryEntry {
  return assistantMessage({ content: [part] });
}

/** What an entry counts beside 3 and its role. */
function contentTokens(entry: HistoryEntry): number {
  const { counter } = recordingCounter();
  const empty = {
    ...entry,
    content: "",
    rendered: "",
    sources: [],
    toolCalls: [],
    name: undefined,
  };
  const bare = { ...empty, origin: undefined } as unknown as HistoryEntry;
  return counter.countEntry(entry) - counter.countEntry(bare);
}
