import type { ReductionPlan } from "@agent-history/core";
import { createReducer } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";
import { describe, expect, it } from "vitest";

import { fitModelInput } from "./fit-model-input.ts";
import type { AgentItemLike } from "./items.ts";

const counter = tiktokenCounter({ encoding: "o200k_base" });
const reducer = createReducer({ counter });
const window = { contextTokens: 200 };

const user = (content: string): AgentItemLike => ({ role: "user", content });
const long = (text: string): AgentItemLike => {
  const content = [{ type: "output_text", text: `${text} `.repeat(80) }];
  return { type: "message", role: "assistant", status: "completed", content };
};
const parameters = { type: "object", properties: { to: { type: "string" } } };
const find = { type: "function", name: "find", description: "Finds flights.", parameters };

/** A filter, and the plans that it made. */
function filtering(): {
  readonly filter: ReturnType<typeof fitModelInput>;
  readonly plans: readonly ReductionPlan[];
} {
  const plans: ReductionPlan[] = [];
  return { filter: fitModelInput({ reducer, window, onPlan: (plan) => plans.push(plan) }), plans };
}

async function tokensBeside(agent: object, instructions?: string): Promise<number> {
  const { filter, plans } = filtering();
  const modelData = {
    input: [user("Hello.")],
    ...(instructions !== undefined && { instructions }),
  };
  await filter({ modelData, agent, context: undefined });
  return plans[0]?.totalTokens ?? 0;
}

describe("fitModelInput", () => {
  it("keeps objects that stay, and changes no list", async () => {
    const { filter } = filtering();
    const input = [user("Which flights?"), long("Two"), long("Or three"), user("The first.")];
    const before = [...input];
    const fitted = await filter({ modelData: { input }, agent: {}, context: undefined });
    expect(fitted.input.length).toBeLessThan(input.length);
    expect(fitted.input.at(-1)).toBe(input.at(-1));
    expect(input).toEqual(before);
    expect(filter.preserveInputIdentity).toBe(true);
  });

  it("continues the plan of a conversation, of copies of its items too, and keeps conversations apart", async () => {
    const { filter, plans } = filtering();
    const log = [user("Which flights?")];
    for (let turn = 0; turn < 8; turn += 1) {
      log.push(long(`Answer ${turn}`), user(`And day ${turn}?`));
      const input = structuredClone(log);
      await filter({ modelData: { input }, agent: {}, context: undefined });
      const other = [user("Another one"), ...log.slice(1)];
      await filter({ modelData: { input: other }, agent: {}, context: undefined });
    }
    expect(plans.slice(2).every(({ continued }) => continued !== undefined)).toBe(true);
  });

  it("counts instructions, which it leaves to the SDK", async () => {
    const bare = await tokensBeside({});
    const said = await tokensBeside({}, "You book flights.");
    expect(said - bare).toBeGreaterThanOrEqual(counter.countText("You book flights."));
    const { filter } = filtering();
    const modelData = { input: [user("Hello.")], instructions: "You book flights." };
    expect(await filter({ modelData, agent: {}, context: 1 })).toEqual(modelData);
  });

  it("counts tools, those that the agent gives for the run's context, handoffs and the output type", async () => {
    const bare = await tokensBeside({});
    const listed = await tokensBeside({ tools: [find] });
    expect(listed).toBeGreaterThan(bare + 5);
    const asked: unknown[] = [];
    const agent = {
      tools: [],
      getAllTools: async (run: unknown) => {
        asked.push(run);
        return [find];
      },
      getEnabledHandoffs: async () => [
        { toolName: "transfer", toolDescription: "Hands over.", inputJsonSchema: parameters },
      ],
    };
    const given = await tokensBeside(agent);
    expect(given).toBeGreaterThan(listed + 5);
    expect(asked).toEqual([{ context: undefined }]);
    const outputType = { type: "json_schema", name: "answer", strict: true, schema: parameters };
    expect(await tokensBeside({ ...agent, outputType })).toBeGreaterThan(given + 5);
    expect(await tokensBeside({ ...agent, outputType: "text" })).toBe(given);
    const search = {
      type: "hosted_tool",
      name: "web_search",
      providerData: { type: "web_search" },
    };
    expect(await tokensBeside({ tools: [search] })).toBeGreaterThan(bare);
  });

  it("refuses what cannot work where it is made, and a question that does not fit at its call", async () => {
    const small = { contextTokens: -1 };
    expect(() => fitModelInput({ reducer, window: small })).toThrow(/contextTokens/u);
    const { filter } = filtering();
    const input = [user("word ".repeat(300))];
    const call = filter({ modelData: { input }, agent: {}, context: undefined });
    await expect(call).rejects.toMatchObject({ code: "WINDOW_TOO_SMALL" });
  });
});
