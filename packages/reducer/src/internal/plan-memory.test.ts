import { isHistoryError } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { counter } from "../../test-support/character-counter.ts";
import { fitToWindow } from "../fit-to-window.ts";
import { isOurs } from "./plan-memory.ts";

const entry = (id: string): HistoryEntry => ({
  id,
  type: "user_message",
  createdAtMs: 0,
  content: "Where is it?",
});

const history = ["a", "b", "c"].map(entry);
const options = { window: { contextTokens: 500 }, counter };

function frozen<Value>(value: Value): Value {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return value;
  for (const key of Reflect.ownKeys(value)) frozen<unknown>(Reflect.get(value, key));
  return Object.freeze(value);
}

describe("the memory of a plan", () => {
  it("goes on behind a plan that was frozen with all that can be reached", () => {
    const { plan } = fitToWindow(history, options);
    const grown = [...history, entry("d")];
    const { plan: next, entries } = fitToWindow(grown, { ...options, previousPlan: frozen(plan) });

    expect(next.continued).toEqual({ entryCount: 3 });
    expect(fitToWindow([...grown, entry("e")], { ...options, previousPlan: frozen(next) })).toEqual(
      {
        entries: [...entries, entry("e")],
        plan: expect.objectContaining({ continued: { entryCount: 4 } }),
      },
    );
  });

  it("belongs to the plan alone, not to what is made of it", () => {
    const { plan } = fitToWindow(history, options);
    const others = [
      { ...plan },
      structuredClone(plan),
      new Proxy(plan, {}),
      Object.create(plan),
      Object.defineProperties({}, Object.getOwnPropertyDescriptors(plan)),
    ];

    expect(isOurs(plan)).toBe(true);
    expect(others.map(isOurs)).toEqual(others.map(() => false));
  });

  it("shows hashes and checksum through a proxy, and as own fields", () => {
    const { plan } = fitToWindow(history, options);
    const watched = new Proxy(plan, {});

    expect(watched.hashes).toEqual(plan.hashes);
    expect(watched.checksum).toBe(plan.checksum);
    expect(Object.keys(plan)).toEqual(expect.arrayContaining(["hashes", "checksum"]));
    expect(JSON.parse(JSON.stringify(plan))).toEqual({ ...plan });
  });

  it("knows the ids of what is kept behind every cut, and of nothing else", () => {
    const told: string[] = [];
    const log: HistoryEntry[] = [];
    let previousPlan: ReductionPlan | undefined;
    for (let turn = 0; turn < 60; turn++) {
      log.push(...turnOf(turn));
      const given = [...log];
      const { entries, plan } = fitToWindow(given, { ...options, previousPlan });
      previousPlan = plan;
      const kept = new Set(entries.map(({ id }) => id));
      for (const { id } of given) {
        const next = [...given, { ...entry(id), content: "Who?" }];
        const isTold = wasTold(() => fitToWindow(next, { ...options, previousPlan: plan }));
        expect({ turn, id, isTold }).toEqual({ turn, id, isTold: kept.has(id) });
        if (isTold) told.push(id);
      }
    }
    expect(told.length).toBeGreaterThan(300);
  });
});

function turnOf(turn: number): readonly HistoryEntry[] {
  const answer = { ...entry(`a${turn}`), type: "assistant_message", content: "Here." } as const;
  return [entry(`u${turn}`), answer];
}

/** Returns whether a fit says that an id stands twice. */
function wasTold(fit: () => unknown): boolean {
  try {
    fit();
    return false;
  } catch (error) {
    if (isHistoryError(error, "DUPLICATE_ID")) return true;
    throw error;
  }
}
