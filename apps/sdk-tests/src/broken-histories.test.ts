import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryBroken, faultsOf, soundFaults } from "../test-support/judge-broken.ts";
import { arbitraryScript } from "../test-support/script.ts";
import { senders } from "../test-support/senders.ts";

describe.each(senders)("a conversation that is fitted and sent as $name", (sender) => {
  it("is taken by the strict server however it was broken, with all words of users and tools", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryBroken(sender), async (broken) => {
        expect(await faultsOf(sender, broken)).toEqual([]);
      }),
      { numRuns: lawRuns(60) },
    );
  });

  it("is sent as it came, without a repair, where nothing is broken", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryScript, async (script) => {
        expect(await soundFaults(sender, script)).toEqual([]);
      }),
      { numRuns: lawRuns(60) },
    );
  });
});
