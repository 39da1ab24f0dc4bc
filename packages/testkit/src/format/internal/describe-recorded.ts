import { checkHistory } from "@agent-history/core/check";
import { parseEntry } from "@agent-history/core/schema";
import { packBinary } from "@agent-history/format-kit";
import { describe, expect, it } from "vitest";

import type { FormatUnderTest } from "../format-under-test.ts";
import type { RecordedChats } from "../recorded-chats.ts";
import { chatToEntries } from "./chat-to-entries.ts";
import { countedSources } from "./counted-sources.ts";
import { missingTexts, repeatedTexts } from "./repeated-texts.ts";
import { whatIsSaid } from "./what-is-said.ts";

/** What holds of recorded chats, as messages of the format. */
export function describeRecorded(format: FormatUnderTest, { name, chats }: RecordedChats): void {
  const { read, write, problems } = format;

  describe.skipIf(chats === undefined)(`recorded: ${name}`, () => {
    const recorded = chats?.() ?? [];

    it("loses nothing, says nothing twice, and can be stored", () => {
      expect(recorded.length).toBeGreaterThan(10);
      for (const chat of recorded) {
        const messages = write(chatToEntries(chat));
        const entries = read(messages, countedSources());
        expect(write(entries)).toStrictEqual(messages);
        expect(missingTexts(chat, entries)).toEqual([]);
        expect(repeatedTexts(messages.map(packBinary), entries)).toEqual([]);
        expect(entries.map(parseEntry)).toStrictEqual(entries);
      }
    });

    it("pairs each call, says the same as the chat, and gives what the provider takes", async () => {
      for (const chat of recorded) {
        const came = chatToEntries(chat);
        const messages = write(came);
        const entries = read(messages);
        expect(checkHistory(entries)).toEqual([]);
        expect(whatIsSaid(entries)).toEqual(whatIsSaid(came));
        if (problems !== undefined) expect(await problems(messages)).toEqual([]);
      }
    });
  });
}
