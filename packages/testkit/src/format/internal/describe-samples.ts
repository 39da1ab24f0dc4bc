import type { HistoryEntry } from "@agent-history/core";
import { parseEntry } from "@agent-history/core/schema";
import { packBinary } from "@agent-history/format-kit";
import { describe, expect, it } from "vitest";

import { deepFreeze } from "../../deep-freeze.ts";
import type { FormatUnderTest } from "../format-under-test.ts";
import { countedSources } from "./counted-sources.ts";
import { missingTexts, repeatedTexts } from "./repeated-texts.ts";

/** What holds of each kind of message. */
export function describeSamples({
  read,
  write,
  knownMessages,
  strangeMessages,
}: FormatUnderTest): void {
  describe.each([
    ["every kind of message of the SDK", knownMessages],
    ["what the SDK does not allow", strangeMessages],
  ])("%s", (_, messages) => {
    it("comes back as it was, and stays as it is", () => {
      const packed = messages.map(packBinary);
      const entries = read(messages, countedSources());

      expect(write(deepFreeze(entries))).toStrictEqual(messages);
      expect(missingTexts(packed, entries)).toEqual([]);
      expect(messages.map(packBinary)).toEqual(packed);
    });

    it("comes back message by message", () => {
      for (const message of messages) expect(write(read([message]))).toStrictEqual([message]);
    });

    it("says no text twice", () => {
      const entries = read(messages, countedSources());

      expect(repeatedTexts(messages.map(packBinary), entries)).toEqual([]);
    });

    it("makes entries that can be stored", () => {
      const entries = read(messages, countedSources());
      const stored: readonly HistoryEntry[] = JSON.parse(JSON.stringify(entries));

      expect(stored.map(parseEntry)).toStrictEqual(entries);
      expect(write(stored)).toStrictEqual(messages);
    });
  });
}
