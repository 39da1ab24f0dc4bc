import type { HistoryEntry } from "@agent-history/core";
import { userMessage } from "@agent-history/core";
import * as kit from "@agent-history/format-kit";
import type { MessageFormat } from "@agent-history/format-kit";
import * as fc from "fast-check";

import { arbitraryHistory } from "../arbitrary-history.ts";
import { describeStrangeInput } from "../format/describe-strange-input.ts";
import type { StrangeInput } from "../format/describe-strange-input.ts";

/** A format of one kind of message. */
const notes: MessageFormat = {
  name: "notes",
  idPrefix: "note",
  types: ["user_message"],
  shape: "one-to-one",
  read: ({ said }) => {
    const content = kit.textOf(said);
    return content === undefined ? [] : [{ says: { type: "user_message", content } }];
  },
  write: ([entry]) => ({ said: kit.plainText(kit.shownContent(entry)) }),
};
const messages = [{ said: "Hello", by: { name: "Ann" } }, { said: "Go on." }];
const history = fc.sample(arbitraryHistory(), { numRuns: 10, seed: 7 }).flat();
const samples = [...new Map(history.map((entry) => [entry.type, entry])).values()];
/** Most take pieces of a message that is being read, or options of a caller: whoever reads and writes with them takes what they throw. */
const othersThan = (readers: object): readonly string[] =>
  Object.entries(kit)
    .filter(([name, exported]) => typeof exported === "function" && !(name in readers))
    .map(([name]) => name);

const ofMessages: StrangeInput<object>["readers"] = {
  packBinary: (all) => all.map((one) => kit.packBinary(one)),
  readConversation: (all) =>
    kit.readConversation({
      format: "notes",
      messages: all,
      options: {},
      read: (index) => ({ messages: [all[index]], entries: [] }),
    }),
  readMessage: (all) =>
    all.map((one, index) => kit.readMessage(notes, one, { index, waiting: kit.waitingCalls() })),
  readMessages: (all) => kit.readMessages(notes, all),
  requireMessages: (all) => kit.requireMessages(all),
  toJson: (all) => all.map((one) => kit.toJson(one)),
  toJsonObject: (all) => all.map((one) => kit.toJsonObject(one)),
};
describeStrangeInput("@agent-history/format-kit, messages", kit, {
  samples: messages,
  readers: ofMessages,
  others: othersThan(ofMessages),
});

const ofEntries: StrangeInput<HistoryEntry>["readers"] = {
  answeredCalls: (all) => kit.answeredCalls(all, () => true),
  cameAs: (all) => all.map((one) => kit.cameAs(notes, [one])),
  sinceCompaction: (all) => kit.sinceCompaction(all),
  writeMessages: (all) => kit.writeMessages(notes, all),
  writeRuns: (all) => kit.writeRuns(notes, all),
};
describeStrangeInput<HistoryEntry>("@agent-history/format-kit, entries", kit, {
  samples: [...samples, userMessage({ content: "Hello" })],
  readers: ofEntries,
  others: othersThan(ofEntries),
});
