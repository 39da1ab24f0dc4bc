import { describe, expect, it } from "vitest";

import { fitMiddleware, fitPrompt } from "./ai-sdk.ts";
import { fitModelInput } from "./openai-agents.ts";

const output = { type: "text", value: "Two." };
const orphan = { type: "tool-result", toolCallId: "c1", toolName: "find", output };
const prompt = [
  { role: "user", content: [{ type: "text", text: "To Rome." }] },
  { role: "tool", content: [orphan] },
];
const params = { prompt, type: "generate", model: { provider: "openai.chat" } } as const;
const input = [
  { role: "user", content: "To Rome." },
  { type: "function_call_result", callId: "c1", name: "find", status: "completed", output: "Two." },
];
const run = { modelData: { input }, agent: { name: "Booking" }, context: undefined };

describe("hooks by model pass on", () => {
  const options = { model: "gpt-5", repair: "throw" } as const;
  it.each([
    ["fitPrompt", () => fitPrompt(options)({ prompt })],
    [
      "fitMiddleware",
      () => fitMiddleware(options).transformParams?.({ params, ...params } as never),
    ],
    ["fitModelInput", () => fitModelInput(options)(run)],
  ])("that a broken history is to be refused: %s", async (_name, call) => {
    const answer: unknown = call();
    await expect(answer).rejects.toMatchObject({ code: "INVALID_ENTRY" });
  });

  it.each([{ without: ["no-such-step"] }, { uploads: { floor: 2 } }])(
    "options of the fit, %j among them",
    async (wrong) => {
      const fit = fitPrompt({ model: "gpt-5", ...wrong } as never);
      await expect(fit({ prompt })).rejects.toMatchObject({ code: "INVALID_OPTION" });
    },
  );
});
