import { checkHistory } from "@agent-history/core/check";
import { lawRuns } from "@agent-history/testkit";
import { describe, expect, it } from "vitest";

import { createHistoryManager } from "../src/index.ts";
import { managerOptions } from "./manager-options.ts";
import { openTestStore } from "./open-test-store.ts";
import type { StoreAddress } from "./open-test-store.ts";
import { startTurnWriter } from "./start-turn-writer.ts";

/** Declares that of requests that several processes send at once, with one expected version, one begins its turn and no other writes. */
export function describeDoubleSends(name: string, newAddress: () => Promise<StoreAddress>): void {
  describe(`one request that three processes send at once on ${name}`, () => {
    it("is answered once, and turns never interleave", async () => {
      const address = await newAddress();
      const { store, close } = await openTestStore(address);
      const history = createHistoryManager(managerOptions({ store }));
      const names = ["p0", "p1", "p2"];
      const writers = await Promise.all(names.map((one) => startTurnWriter(address, one)));
      const rounds = lawRuns(8);
      for (let round = 0; round < rounds; round++) {
        const { version } = await history.read();
        const outcomes = await Promise.all(writers.map(({ request }) => request(version)));
        const refused = ["VERSION_CONFLICT", "VERSION_CONFLICT"];
        expect(outcomes.toSorted((one, other) => one.length - other.length)).toEqual([
          ["kept"],
          refused,
          refused,
        ]);
      }
      await Promise.all(writers.map(({ end }) => end()));
      const { entries } = await history.read();
      expect(checkHistory(entries)).toEqual([]);
      expect(entries.map(({ type }) => type)).toEqual(
        Array.from({ length: rounds }, () => [
          "user_message",
          "action",
          "observation",
          "assistant_message",
        ]).flat(),
      );
      const turns = entries.map(({ turnId }) => turnId);
      expect(turns).toEqual(turns.map((_, index) => turns[index - (index % 4)]));
      expect(new Set(turns).size).toBe(rounds);
      await close();
    });
  });
}
