import { execFileSync } from "node:child_process";

import { fromChatMessages, toChatMessages, toToolDefinitions } from "@agent-history/openai";
import { fitToWindow } from "@agent-history/reducer";
import { modelWindow, tiktokenCounter } from "@agent-history/tokens";
import { describe, expect, it } from "vitest";

import { fitChatMessages, fitChatMessagesAsync } from "./openai.ts";

const conversation = Array.from({ length: 60 }, (_, index) => [
  { role: "user", content: `Question ${index}: ${"what is it? ".repeat(20)}` },
  { role: "assistant", content: `Answer ${index}: ${"it is so. ".repeat(60)}` },
]).flat();
const history = [
  { role: "system", content: "Be brief." },
  ...conversation,
  { role: "user", content: "And now?" },
];
const parameters = { type: "object", properties: { to: { type: "string" } } };
const tools = [{ type: "function", function: { name: "find", parameters } }] as const;

describe("fitChatMessages", () => {
  it("is what the scoped packages give, with the model's counter and window", () => {
    const { entries, plan } = fitToWindow(fromChatMessages(history), {
      window: modelWindow("gpt-4"),
      counter: tiktokenCounter({ model: "gpt-4" }),
      tools: toToolDefinitions(tools),
    });

    const fitted = fitChatMessages(history, { model: "gpt-4", tools });
    expect(fitted.messages).toEqual(toChatMessages(entries));
    expect(fitted.messages.length).toBeLessThan(history.length);
    const totalBytes = Buffer.byteLength(JSON.stringify({ messages: fitted.messages, tools }));
    const checksum = expect.any(String) as string;
    expect(fitted.plan).toEqual({ ...plan, totalBytes, checksum });
  });

  it("continues the plan of the previous call, which may be missing", async () => {
    const options = { model: "gpt-4", tools };
    const first = fitChatMessages(history.slice(0, 20), { ...options, previousPlan: undefined });
    const more = history.slice(0, 22);

    const second = fitChatMessages(more, { ...options, previousPlan: first.plan });
    expect(second.messages.slice(0, first.messages.length)).toEqual(first.messages);
    expect(second.plan.continued).toBeDefined();
    const again = await fitChatMessagesAsync(more, { ...options, previousPlan: first.plan });
    expect(again).toEqual(second);
  });

  it("counts tools, and refuses one of another shape", () => {
    const hello = [{ role: "user", content: "Hi." }];
    const bare = fitChatMessages(hello, { model: "gpt-4o" });
    const whole = fitChatMessages(hello, { model: "gpt-4o", tools });

    expect(whole.plan.totalTokens).toBeGreaterThan(bare.plan.totalTokens + 12);
    expect(() => fitChatMessages(history, { model: "gpt-4o", tools: [{} as never] })).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION", details: { option: "tools" } }),
    );
  });

  it("refuses an unknown model, and says what to pass", async () => {
    const isRefused = expect.objectContaining({
      code: "INVALID_OPTION",
      message: expect.stringContaining("`window`"),
    });

    expect(() => fitChatMessages(history, { model: "llama-local" })).toThrow(isRefused);
    expect(() => fitChatMessages(history, {})).toThrow(isRefused);
    await expect(fitChatMessagesAsync(history, { model: "llama-local" })).rejects.toThrow("window");
  });

  it("takes a window in place of the model, and estimates; or a window and a counter", () => {
    const window = { contextTokens: 4000, outputReserveTokens: 500 };
    const counter = tiktokenCounter({ encoding: "cl100k_base" });

    const own = fitChatMessages(history, { model: "llama-local", window, counter });
    expect(own.plan.totalTokens).toBeLessThanOrEqual(3500);
    const estimated = fitChatMessages(history, { window });
    expect(estimated.messages.length).toBeLessThan(own.messages.length);
    expect([own.plan.estimated, estimated.plan.estimated]).toEqual([undefined, true]);
    expect(estimated.messages.at(-1)).toEqual({ role: "user", content: "And now?" });
  });

  it("loads no schemas for a first prompt", () => {
    const program = `
      import { registerHooks } from "node:module";
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      const { fitChatMessages } = await import("agent-history/openai");
      fitChatMessages([{ role: "user", content: "hello" }], { model: "gpt-4", tools: [] });
      console.log(JSON.stringify(loaded));`;
    const conditions = "--conditions=@agent-history/source";
    const output = execFileSync(
      process.execPath,
      [conditions, "--input-type=module", "--eval", program],
      { cwd: new URL(".", import.meta.url), encoding: "utf8" },
    );

    const loaded = JSON.parse(output) as readonly string[];
    expect(loaded.filter((url) => url.includes("/agent-history/src/openai.ts"))).toHaveLength(1);
    expect(loaded.filter((url) => /node_modules\/zod|\/schema\//.test(url))).toEqual([]);
  });
});
