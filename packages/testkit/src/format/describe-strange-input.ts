import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { lawRuns } from "../law-runs.ts";
import { strangeEntries } from "../strange-values.ts";

/** What a module's exported functions do with strange values. */
export interface StrangeInput<Value extends object> {
  /** Valid values; strange ones are made of them, and stand among them. */
  readonly samples: readonly Value[];
  /** Calls of every exported function that takes such values, by its name. */
  readonly readers: { readonly [name: string]: (values: readonly Value[]) => unknown };
  /** Names of the exported functions that take none. */
  readonly others: readonly string[];
  /** Runs of each property, from 1. Default 30; the environment variable `LAW_RUNS` multiplies it. */
  readonly runs?: number;
}

/**
 * Declares, for vitest, that no exported function of a module throws because of a strange entry or message: `null`, a primitive, a cyclic value, one
 * 200,000 levels deep, a field that throws when it is read. A new export that is neither in `readers` nor in `others` fails.
 *
 * @example
 * ```ts no-run
 * import * as module from "@agent-history/openai";
 * import { describeStrangeInput } from "@agent-history/testkit/format";
 *
 * describeStrangeInput("@agent-history/openai, messages", module, {
 *   samples: [{ role: "user", content: "Hello" }],
 *   readers: { fromChatMessages: (messages) => module.fromChatMessages(messages as never) },
 *   others: ["fromResponseItems", "toChatMessages", "toResponseItems", "toToolDefinitions"],
 * });
 * ```
 */
export function describeStrangeInput<Value extends object>(
  name: string,
  module: object,
  { samples, readers, others, runs = 30 }: StrangeInput<Value>,
): void {
  const strange = strangeEntries<Value>(samples);
  // By their indexes: they cannot all be printed.
  const index = fc.nat({ max: strange.length - 1 });
  describe(`strange values in ${name}`, { timeout: 1_800_000 }, () => {
    it("have a case for every exported function", () => {
      const functions = Object.entries(module)
        .filter(([, exported]) => typeof exported === "function")
        .map(([exported]) => exported);
      expect([...Object.keys(readers), ...others].toSorted()).toEqual(functions.toSorted());
    });

    it.each(Object.entries(readers))("never make %s throw", async (_, read) => {
      await fc.assert(
        fc.asyncProperty(fc.array(index, { minLength: 1, maxLength: 3 }), async (indexes) => {
          const among = indexes.flatMap((at) => strange.slice(at, at + 1));
          await read([...samples, ...among, ...among]);
        }),
        { numRuns: lawRuns(runs) },
      );
    });
  });
}
