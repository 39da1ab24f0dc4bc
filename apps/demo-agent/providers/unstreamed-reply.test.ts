import { describe, expect, it } from "vitest";

import { anthropicMessages } from "../test-support/model-server/anthropic-messages.ts";
import { chatCompletions } from "../test-support/model-server/chat-completions.ts";
import { connectTo } from "../test-support/model-server/connect-to.ts";
import { responses } from "../test-support/model-server/responses.ts";
import { startModelServer } from "../test-support/model-server/start-model-server.ts";

describe.each([
  ["openai", responses],
  ["anthropic", anthropicMessages],
  ["compatible", chatCompletions],
])("a server that streams nothing, %s", (protocol, wire) => {
  it("is asked once for each call, as soon as that is known", async () => {
    let asked = 0;
    const answer = async (): Promise<{ text: string }> => ({ text: `Answer ${(asked += 1)}.` });
    await using server = await startModelServer({ wire, model: answer, streams: false });
    const { model } = connectTo(protocol, server);
    const ask = async () => model({ messages: [{ role: "user", content: "Hello" }], tools: [] });
    await ask();
    const before = asked;
    await ask();
    await ask();

    expect(asked - before).toBe(2);
  });
});
