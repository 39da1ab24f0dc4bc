import { createCompressor, messagesExceed } from "@agent-history/compression";
import type { CompressionOutcome } from "@agent-history/core";
import { isHistoryError } from "@agent-history/core";
import { tiktokenCounter } from "@agent-history/tokens";
import { describe, expect, it } from "vitest";

import { summaryMiddleware } from "./summary-middleware.ts";

const counter = tiktokenCounter({ encoding: "o200k_base" });
const messages = Array.from({ length: 30 }, (_, turn) => [
  { type: "human", content: `What does ticket T-${turn} say? Please look it up for me.` },
  { type: "ai", content: `T-${turn} is about the checkout. `.repeat(6) },
]).flat();
const compressor = createCompressor({ counter, trigger: messagesExceed(20), tailTokens: 200 });

describe("summaryMiddleware", () => {
  it("shows a summary instead of old messages, and goes on with it from the agent's state", async () => {
    const outcomes: CompressionOutcome[] = [];
    const options = { compressor, onOutcome: (one: CompressionOutcome) => void outcomes.push(one) };
    const answer = { type: "ai", content: "Done." };
    let sent: readonly object[] = [];
    const handler = ({ messages: asked }: { messages: readonly object[] }) => {
      sent = asked;
      return answer;
    };
    const first = summaryMiddleware(options);
    const given: object = await first.wrapModelCall({ messages }, handler);
    const state = JSON.parse(JSON.stringify(Reflect.get(given, "update")));
    const [summary] = sent;

    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["compressed"]);
    expect(JSON.stringify(summary)).toContain("T-");
    expect(sent.length).toBeLessThan(20);
    expect(sent.at(-1)).toBe(messages.at(-1));
    const grown = [...messages, answer, { type: "human", content: "And T-99?" }];
    await summaryMiddleware(options).wrapModelCall({ messages: grown, state }, handler);
    expect(outcomes[1]?.outcome).toBe("not-needed");
    expect(sent[0]).toEqual(summary);
    expect(sent.at(-1)).toBe(grown.at(-1));
  });

  it("sends all messages where no summary is made, and where what was kept is none", async () => {
    const quiet = {
      name: "none",
      compress: async () => ({ outcome: "failed", reason: "", error: 1 }),
    };
    const { wrapModelCall } = summaryMiddleware({ compressor: quiet as never });
    const asked = { messages, state: { _agentHistorySummaries: [null, { type: "summary" }, 7] } };

    expect(await wrapModelCall(asked, (request) => request.messages)).toEqual(messages);
    expect(() => summaryMiddleware({} as never)).toThrow(
      expect.toSatisfy((error: unknown) => isHistoryError(error, "INVALID_OPTION")),
    );
  });
});
