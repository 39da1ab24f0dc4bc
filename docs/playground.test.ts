import { faultsFor } from "@agent-history/format-kit";
import { chatTarget, fromChatMessages } from "@agent-history/openai";
import { expect, it } from "vitest";

import { API_NAMES, fitPasted } from "./playground/fit-pasted.ts";
import { SAMPLES } from "./playground/samples.ts";
import { askedBy, linkTo } from "./playground/share-link.ts";

const sample = (name: string): Parameters<typeof fitPasted>[0] =>
  SAMPLES[name] ?? { text: "", model: "" };

it("quotes the budget of a long chat that its last question asks for", async () => {
  const { api, plan, drawn, roomTokens, sent } = await fitPasted(sample("A long chat"));
  expect(api).toBe("openai-chat");
  expect(drawn.tokens.reduce((sum, tokens) => sum + tokens)).toBeGreaterThan(roomTokens);
  expect(plan.totalTokens).toBeLessThanOrEqual(roomTokens);
  expect(drawn.calls[0]?.decisions.map(({ state }) => state)).toContain("recalled");
  expect(sent).toContain("1,840 euros");
});

it("makes a tool loop fit, each call with its result", async () => {
  const { api, plan, roomTokens, sent } = await fitPasted(sample("A tool loop"));
  expect(api).toBe("anthropic");
  expect(plan.totalTokens).toBeLessThanOrEqual(roomTokens);
  const idsOf = (field: string): readonly string[] =>
    [...sent.matchAll(new RegExp(`"${field}": "(toolu_\\d+)"`, "g"))].map(([, id = ""]) => id);
  expect(idsOf("id").length).toBeGreaterThan(0);
  expect(idsOf("tool_use_id")).toEqual(idsOf("id"));
});

it("says what becomes of the reasoning, whose prefix a window cuts", async () => {
  const { plan, sent } = await fitPasted(sample("A tool loop"));
  const { reasoning } = plan;
  const sentBlocks = sent.match(/"type": "thinking"/gu)?.length ?? 0;
  expect(reasoning?.valid.blocks).toBe(sentBlocks);
  const gone = reasoning?.leftOut.reduce((sum, { blocks }) => sum + blocks, 0) ?? 0;
  expect(sentBlocks + gone + (reasoning?.givenUp.blocks ?? 0)).toBe(12);
  const whole = await fitPasted({ ...sample("A tool loop"), windowTokens: undefined });
  expect(whole.plan.reasoning?.valid.blocks).toBe(12);
});

it("repairs a bricked session, and keeps what was said", async () => {
  const { faults, sent } = await fitPasted(sample("A bricked session"));
  expect(faults.length).toBeGreaterThan(2);
  const { messages }: { messages: Parameters<typeof fromChatMessages>[0] } = JSON.parse(sent);
  expect(faultsFor(chatTarget(), fromChatMessages(messages))).toEqual([]);
  for (const said of ["118 euros", "142 euros", "Are you still there?", "Which one is cheaper?"]) {
    expect(sent).toContain(said);
  }
});

it.each(API_NAMES)("builds a request for %s from a session of another format", async (api) => {
  const { sent } = await fitPasted({ ...sample("A bricked session"), api });
  expect(sent).toContain("Which one is cheaper?");
});

it.each([
  [{ text: "no JSON", model: "gpt-5" }, "INVALID_OPTION"],
  [{ text: '[{"role":"user","content":"Hi"}]', model: "gpt-none" }, "INVALID_OPTION"],
  [
    { text: '[{"role":"user","content":"Hi"}]', model: "gpt-5", windowTokens: 2 },
    "WINDOW_TOO_SMALL",
  ],
])("says what is wrong with %j", async (asked, code) => {
  await expect(fitPasted(asked)).rejects.toMatchObject({ code });
});

it("writes a small input into a link and reads it back, and none that is too long", async () => {
  const asked = { text: "Grüße 🚆", model: "gpt-5", api: "anthropic", quotes: true } as const;
  expect(await askedBy(`#${await linkTo(asked)}`)).toEqual(asked);
  const noise = Array.from({ length: 20_000 }, (_, n) =>
    ((n * 2_654_435_761) % 4_294_967_296).toString(36),
  );
  expect(await linkTo({ ...asked, text: noise.join("") })).toBeUndefined();
  for (const other of ["", "#", "#abc", "#%%%", "#AAAA"])
    expect(await askedBy(other)).toBeUndefined();
});
