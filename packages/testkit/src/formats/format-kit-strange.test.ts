import type { HistoryEntry } from "@agent-history/core";
import { userMessage } from "@agent-history/core";
import * as kit from "@agent-history/format-kit";
import type { MessageFormat } from "@agent-history/format-kit";
import * as fc from "fast-check";

import { arbitraryHistory } from "../arbitrary-history.ts";
import { describeStrangeInput } from "../format/describe-strange-input.ts";

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
/** They take a part, a call, a text or a draft, of a message or an entry that is being read: `readMessages` and `writeMessages` take what they throw. */
const PIECES = [
  "contradicts",
  "countedIds",
  "fromUrl",
  "indexOf",
  "isJsonObject",
  "isLateResult",
  "isToolCall",
  "mergeJson",
  "nameOf",
  "onlyAdds",
  "parseJson",
  "partsOf",
  "placeCalls",
  "plainText",
  "portableContent",
  "positionIds",
  "readAnswer",
  "readCall",
  "readCompaction",
  "readContent",
  "readPart",
  "shownContent",
  "stampDrafts",
  "textOf",
  "toUrl",
  "toolParameters",
  "unpackBinary",
  "waitingCalls",
  "wireDifference",
  "withoutUndefined",
  "writeAnswer",
  "writeCall",
  "writeContent",
  "writePart",
  "writeParts",
];
/** They take the options of a caller, and throw at once. */
const OF_OPTIONS = [
  "checkFitOptions",
  "fitForTarget",
  "planMemory",
  "portableWeight",
  "requireSync",
  "viewerOf",
];
const OF_ENTRIES = ["answeredCalls", "cameAs", "sinceCompaction", "writeMessages", "writeRuns"];
const OF_MESSAGES = [
  "packBinary",
  "readConversation",
  "readMessage",
  "readMessages",
  "requireMessages",
  "toJson",
  "toJsonObject",
];

describeStrangeInput("@agent-history/format-kit, messages", kit, {
  samples: messages,
  readers: {
    packBinary: (all) => all.map((one) => kit.packBinary(one)),
    readConversation: (all) =>
      kit.readConversation([], {
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
  },
  others: [...OF_ENTRIES, ...OF_OPTIONS, ...PIECES],
});

describeStrangeInput<HistoryEntry>("@agent-history/format-kit, entries", kit, {
  samples: [...samples, userMessage({ content: "Hello" })],
  readers: {
    answeredCalls: (all) => kit.answeredCalls(all, () => true),
    cameAs: (all) => all.map((one) => kit.cameAs(notes, [one])),
    sinceCompaction: (all) => kit.sinceCompaction(all),
    writeMessages: (all) => kit.writeMessages(notes, all),
    writeRuns: (all) => kit.writeRuns(notes, all),
  },
  others: [...OF_MESSAGES, ...OF_OPTIONS, ...PIECES],
});
