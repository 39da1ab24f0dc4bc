import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryBroken, faultsOf } from "../test-support/judge-broken.ts";
import { senders } from "../test-support/senders.ts";

/** Together 100,000 conversations, each sent up to three times. */
const RUNS = Math.ceil(100_000 / senders.length);

describe.each(senders)("100,000 conversations, those that are sent as $name", (sender) => {
  it("are taken by the strict server however they were broken", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryBroken(sender), async (broken) => {
        expect(await faultsOf(sender, broken)).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});
