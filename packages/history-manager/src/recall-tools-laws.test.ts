import { selectEntries } from "@agent-history/core/kit";
import { workerHistoryFilter } from "@agent-history/filters";
import { memoryStore } from "@agent-history/store-kit";
import { arbitraryHistory, arbitraryText, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { recallTools } from "./index.ts";

const RUNS = lawRuns(60);
const counter = { countText: (text: string) => Math.ceil(text.length / 3) };

describe("recallTools", () => {
  it("never answer more than their bound, quote only what the view shows word for word, and give a number to one entry only", async () => {
    const filter = workerHistoryFilter();
    const maxTokens = fc.oneof(fc.nat({ max: 60 }), fc.nat({ max: 3000 }));
    const queries = fc.array(fc.oneof(arbitraryText(), fc.constant("a e")), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(arbitraryHistory(), maxTokens, queries, async (entries, bound, asked) => {
        const store = memoryStore();
        if (entries.length > 0) await store.append("t", entries);
        const agent = entries.find((entry) => entry.agent?.role === "worker")?.agent;
        const context = agent === undefined ? {} : { agentId: agent.id, role: agent.role };
        const shown = selectEntries(entries, filter.query(context));
        const visible = new Map(shown.map((entry) => [`entry:${entry.id}`, JSON.stringify(entry)]));
        const numbers = new Map<number, string>();
        const open = (): ReturnType<typeof recallTools> =>
          recallTools({ store, threadId: "t", counter, filter, context, maxTokens: bound });
        const inputs = [
          ...asked.map((query) => [0, { query }] as const),
          ...shown.slice(-5).map(({ id }, index) => [1, { id, from: index * 7 }] as const),
          [2, {}] as const,
        ];
        for (const [index, input] of inputs) {
          const answer = await open()[index]?.run(input);
          expect(counter.countText(answer?.content ?? "")).toBeLessThanOrEqual(bound);
          for (const { id, number, text } of answer?.sources ?? []) {
            expect(visible.has(id)).toBe(true);
            expect(numbers.get(number) ?? id).toBe(id);
            numbers.set(number, id);
            expect(answer?.content).toContain(`[source${number}]`);
            expect(answer?.content).toContain(
              `> ${text.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/u)[0]}`,
            );
          }
          if (answer?.sources.length === 0) continue;
          for (const line of answer?.content.split("\n") ?? []) {
            expect(line).toMatch(/^(?:> |\[source\d+\] |More: from |$)/u);
          }
        }
      }),
      { numRuns: RUNS },
    );
  });
});
