import { describe, expect, it } from "vitest";

import { anthropicProblems, bedrockProblems, geminiProblems } from "./index.ts";
import type { ProviderProblem } from "./index.ts";

/** What one message says, calls and brings, whatever the provider calls it. */
interface Said {
  readonly by: "user" | "assistant";
  readonly text?: string;
  readonly calls?: readonly string[];
  readonly results?: readonly string[];
}

const asks: Said = { by: "user", text: "Which flights?" };
const says: Said = { by: "assistant", text: "Two." };
const calls: Said = { by: "assistant", calls: ["a", "b"] };
const brings: Said = { by: "user", results: ["b", "a"] };
const sound = [asks, calls, brings, says, asks];

const providers = [
  { name: "anthropicProblems", problems: anthropicProblems, write: toAnthropic },
  { name: "bedrockProblems", problems: bedrockProblems, write: toBedrock },
  { name: "geminiProblems", problems: geminiProblems, write: toGemini },
];

describe.each(providers)("$name", ({ name, problems, write }) => {
  const rulesOf = (said: readonly Said[]): readonly string[] => rules(problems(said.map(write)));

  it("accepts a question, parallel calls with their results, an answer and a question", () => {
    expect(rulesOf(sound)).toEqual([]);
    expect(rulesOf([asks])).toEqual([]);
  });

  it.each([
    ["no-message", []],
    ["first-not-user", [says, asks]],
    ["last-not-user", [asks, says]],
    ["empty-content", [{ by: "user" } as const]],
    ["orphan-result", [asks, says, brings]],
  ])("refuses %s", (rule, said: readonly Said[]) => {
    expect(rulesOf(said)).toEqual([rule]);
  });

  it("refuses a call whose result is missing, or comes a message later", () => {
    expect(rulesOf([asks, calls, asks])).toContain("unanswered-call");
    expect(
      rulesOf([asks, { ...calls, calls: ["a"] }, asks, says, { ...brings, results: ["a"] }]),
    ).toEqual(["unanswered-call", "orphan-result"]);
  });

  it("takes one role twice in a row as its documentation says", () => {
    const expected = name === "anthropicProblems" ? [] : ["not-alternating"];
    expect(rulesOf([asks, asks])).toEqual(expected);
  });

  it("refuses a role that it does not know", () => {
    expect(
      rules(problems([{ role: "critic", content: [{ text: "Hi" }], parts: [{ text: "Hi" }] }])),
    ).toContain("unknown-role");
  });
});

describe("anthropicProblems", () => {
  it("takes a text for a content, and refuses a blank one", () => {
    expect(rules(anthropicProblems([{ role: "user", content: "Hi" }]))).toEqual([]);
    expect(rules(anthropicProblems([{ role: "user", content: " " }]))).toEqual(["empty-content"]);
  });

  it("refuses results behind a text, in one message or in two of one role", () => {
    const text = { type: "text", text: "Here:" };
    const given = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "look", input: {} }] },
    ];
    const results = [{ type: "tool_result", tool_use_id: "a", content: "" }];
    const user = "user";
    expect(
      rules(anthropicProblems([...given, { role: user, content: [...results, text] }])),
    ).toEqual([]);
    for (const wrong of [
      [{ role: user, content: [text, ...results] }],
      [
        { role: user, content: [text] },
        { role: user, content: results },
      ],
    ]) {
      expect(rules(anthropicProblems([...given, ...wrong]))).toEqual(["results-not-first"]);
    }
  });

  it("takes a system message behind a user's, last or before an answer, and nowhere else", () => {
    const system = { role: "system", content: "Be brief." };
    const [user, answer] = [toAnthropic(asks), toAnthropic(says)];
    expect(rules(anthropicProblems([user, system]))).toEqual([]);
    expect(rules(anthropicProblems([user, system, answer, user]))).toEqual([]);
    for (const wrong of [
      [system, user],
      [user, answer, system, user],
      [user, system, user],
    ]) {
      expect(rules(anthropicProblems(wrong))).toEqual(["system-misplaced"]);
    }
    const effort = { role: "system", content: [], output_config: { effort: "low" } };
    expect(rules(anthropicProblems([effort, user, answer, effort, user]))).toEqual([]);
  });

  it("takes a signed compaction first, in an answer too, and nowhere else", () => {
    const compaction = { type: "compaction", content: "So far.", signature: "s" };
    const summarized = { role: "assistant", content: [compaction] };
    const [user, answer] = [toAnthropic(asks), toAnthropic(says)];
    expect(rules(anthropicProblems([summarized, answer, user]))).toEqual([]);
    expect(rules(anthropicProblems([user, summarized, user]))).toEqual(["compaction-misplaced"]);
    const threshold = { role: "assistant", content: [{ type: "compaction", content: "So far." }] };
    expect(rules(anthropicProblems([user, threshold, user]))).toEqual([]);
  });

  it("refuses one id for two calls of a message", () => {
    const twice = [asks, { ...calls, calls: ["a", "a"] }, { ...brings, results: ["a"] }];
    expect(rules(anthropicProblems(twice.map(toAnthropic)))).toEqual(["duplicate-call-id"]);
    expect(rules(bedrockProblems(twice.map(toBedrock)))).toEqual(["duplicate-call-id"]);
  });
});

describe("geminiProblems", () => {
  it("refuses a call that follows the model's own words in a content of their own", () => {
    const contents = [asks, says, calls, brings].map(toGemini);
    expect(rules(geminiProblems(contents))).toContain("call-without-user");
    const response = { role: "function", parts: toGemini(brings).parts };
    expect(rules(geminiProblems([toGemini(asks), toGemini(calls), response]))).toEqual([]);
  });
});

function rules(problems: readonly ProviderProblem[]): readonly string[] {
  return problems.map(({ rule }) => rule);
}

function toAnthropic({ by, text, calls: made = [], results = [] }: Said): object {
  const content = [
    ...results.map((id) => ({ type: "tool_result", tool_use_id: id, content: "" })),
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...made.map((id) => ({ type: "tool_use", id, name: "look", input: {} })),
  ];
  return { role: by, content };
}

function toBedrock({ by, text, calls: made = [], results = [] }: Said): object {
  const content = [
    ...results.map((toolUseId) => ({ toolResult: { toolUseId, content: [] } })),
    ...(text === undefined ? [] : [{ text }]),
    ...made.map((toolUseId) => ({ toolUse: { toolUseId, name: "look", input: {} } })),
  ];
  return { role: by, content };
}

function toGemini({ by, text, calls: made = [], results = [] }: Said): {
  readonly role: string;
  readonly parts: readonly object[];
} {
  const parts = [
    ...results.map((name) => ({ functionResponse: { name, response: {} } })),
    ...(text === undefined ? [] : [{ text }]),
    ...made.map((name) => ({ functionCall: { name, args: {} } })),
  ];
  return { role: by === "user" ? "user" : "model", parts };
}
