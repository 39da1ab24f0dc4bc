import { assistantMessage, userMessage } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { createReducer } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { describe, expect, it } from "vitest";

import { createHistoryManager } from "../src/index.ts";
import type { HistoryManager } from "../src/index.ts";
import { counter } from "./character-counter.ts";
import { managerOptions } from "./manager-options.ts";
import type { OpenStore } from "./open-test-store.ts";
import { watchedReads, wholeReads } from "./watched-reads.ts";
import type { WatchedRead } from "./watched-reads.ts";

const CALL = { systemMessage: "You answer." };
const SCOPE = { turnId: "asked" };

/** What a step reads. */
interface StepCost {
  readonly rounds: number;
  readonly reads: readonly WatchedRead[];
}

/** Declares what a step of a tool loop reads where the prompt has recall blocks that another process made. */
export function describeQuotedReads(name: string, open: () => Promise<OpenStore>): void {
  describe(`a tool loop over recall blocks of another process, on ${name}`, () => {
    it("reads what they quote by ids, in one round with what is new, however long the thread is", async () => {
      const costs: (readonly StepCost[])[] = [];
      for (const turns of [100, 300]) {
        const { store, close } = await open();
        costs.push(await costsOf(store, turns));
        await close();
      }
      const [short = [], long] = costs;
      expect(long).toEqual(short);
      const [first, ...later] = short;
      expect(first?.rounds).toBe(1);
      expect(first?.reads.map(({ kind }) => kind).toSorted()).toEqual(["named", "since"]);
      expect(first?.reads.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(60);
      const added = { rounds: 1, reads: [{ kind: "since", rows: 2 }] };
      expect(later).toEqual([added, added]);
    });
  });
}

/** Asks about what is no longer shown, and goes on elsewhere. Each step gives what the whole view gives. */
async function costsOf(store: HistoryStore, turns: number): Promise<readonly StepCost[]> {
  await fill(store, turns);
  const before = managerOn({ ...store });
  await before.historyForModelCall(CALL);
  for (const [nth, content] of ["Who painted the kayak?", "Who sold a bakery?"].entries()) {
    if (nth > 0) await before.addAssistantMessage({ id: "r", content: "Somebody did." });
    await before.addUserMessage({ id: `q${nth}`, content });
    const { plan } = await before.historyForModelCall(CALL);
    expect(plan.recalls).toHaveLength(nth + 1);
  }
  const watched = watchedReads(store);
  const after = managerOn(watched);
  const costs: StepCost[] = [];
  for (let step = 0; step < 3; step++) {
    await look(after, step);
    const expected = await managerOn(wholeReads(store)).historyForModelCall(CALL);
    watched.reads.length = 0;
    watched.rounds = 0;
    const made = await after.historyForModelCall(CALL);
    expect(JSON.stringify(made)).toBe(JSON.stringify(expected));
    expect(made.plan.recalls).toHaveLength(2);
    costs.push({ rounds: watched.rounds, reads: [...watched.reads] });
  }
  return costs;
}

/** A thread in which two things are said once, at its beginning. */
async function fill(store: HistoryStore, turns: number): Promise<void> {
  const said = Array.from({ length: turns }, (_, turn) => {
    const told: Readonly<Record<number, string>> = {
      3: "Ann painted the kayak.",
      25: "Bob sold a bakery.",
    };
    const content = told[turn] ?? `It rains, day ${turn}.`;
    return [
      userMessage({ id: `u${turn}`, createdAtMs: 1, content }),
      assistantMessage({ id: `a${turn}`, createdAtMs: 1, content: "I see." }),
    ];
  }).flat();
  for (let from = 0; from < said.length; from += 400) {
    await store.append("thread-1", said.slice(from, from + 400));
  }
}

async function look(history: HistoryManager, step: number): Promise<void> {
  const turn = history.withScope(SCOPE);
  const toolCalls = [{ id: "c", name: "look", arguments: "{}" }];
  await turn.addToolCalls({ id: `x${step}`, toolCalls });
  const answer = { id: `o${step}`, callId: "c", toolName: "look", actionId: `x${step}` };
  await turn.addToolCallResults([{ ...answer, content: "Nothing." }]);
}

/** A manager as a process of its own has it. */
function managerOn(store: HistoryStore): HistoryManager {
  const reducer = createReducer({ counter, scorer: lexicalScorer() });
  return createHistoryManager(managerOptions({ store, reducer, window: { contextTokens: 1200 } }));
}
