import { repairHistory } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryEntry } from "../../arbitrary-entry.ts";
import { arbitraryHistory } from "../../arbitrary-history.ts";
import { deepFreeze } from "../../deep-freeze.ts";
import type { FormatUnderTest } from "../format-under-test.ts";
import { withoutOrigin } from "./what-is-said.ts";

/** What holds of the messages that any entries become, wherever they came from. */
export function describeConversations(format: FormatUnderTest, runs: number): void {
  const { read, write, problems } = format;
  const viewerId = fc.constantFrom("", "a", "b");

  describe("entries of another origin", () => {
    it("become messages that come back as they are, sound or not", () => {
      const entries = fc.oneof(arbitraryHistory(), fc.array(arbitraryEntry(), { maxLength: 12 }));
      fc.assert(
        fc.property(entries, viewerId, (drawn, agentId) => {
          const messages = write(deepFreeze(withoutOrigin(drawn)), { agentId });

          expect(write(read(messages))).toStrictEqual(messages);
        }),
        { numRuns: runs },
      );
    });

    if (problems === undefined) return;
    it("become messages that the provider takes, where they are sound", async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryHistory({ running: false }), viewerId, async (drawn, agentId) => {
          const { entries } = repairHistory(withoutOrigin(drawn));
          fc.pre(checkHistory(entries).every(({ law }) => law !== "L1"));

          expect(await problems(write(deepFreeze(entries), { agentId }))).toEqual([]);
        }),
        { numRuns: runs },
      );
    });
  });
}
