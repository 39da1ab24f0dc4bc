import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";

import { promptProblems } from "./prompt-problems.ts";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that refuses what Anthropic and OpenAI refuse, and otherwise answers by a script: each call the next content. */
export function strictModel(
  script: readonly (readonly LanguageModelV4Content[])[] = [],
  onCall: (options: LanguageModelV4CallOptions) => void = () => undefined,
): MockLanguageModelV4 {
  let calls = 0;
  const answer = (options: LanguageModelV4CallOptions): LanguageModelV4GenerateResult => {
    const problems = promptProblems(options.prompt);
    if (problems.length > 0) throw new Error(problems.join("\n"));
    onCall(options);
    const content = script[calls] ?? [{ type: "text", text: "Done." }];
    calls += 1;
    const isCalling = content.some(({ type }) => type === "tool-call");
    const finishReason = { unified: isCalling ? "tool-calls" : "stop", raw: undefined } as const;
    return { content: [...content], finishReason, usage, warnings: [] };
  };
  return new MockLanguageModelV4({
    supportedUrls: { "*/*": [/.*/u] },
    doGenerate: (options) => Promise.resolve(answer(options)),
    doStream: (options) => {
      const { content, finishReason } = answer(options);
      const parts = content.flatMap(streamParts);
      return Promise.resolve({
        stream: convertArrayToReadableStream<LanguageModelV4StreamPart>([
          { type: "stream-start", warnings: [] },
          ...parts,
          { type: "finish", finishReason, usage },
        ]),
      });
    },
  });
}

function streamParts(content: LanguageModelV4Content): readonly LanguageModelV4StreamPart[] {
  if (content.type === "tool-call") return [content];
  if (content.type !== "text") return [];
  return [
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: content.text },
    { type: "text-end", id: "1" },
  ];
}
