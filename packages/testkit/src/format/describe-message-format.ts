import { countOption, customEntry, errorEntry, repairHistory } from "@agent-history/core";
import type { EntrySources, HistoryEntry, JsonValue, Viewer } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { parseEntry } from "@agent-history/core/schema";
import { packBinary, unpackBinary } from "@agent-history/format-kit";
import type { ReadOptions } from "@agent-history/format-kit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryEntry } from "../arbitrary-entry.ts";
import { arbitraryHistory } from "../arbitrary-history.ts";
import { deepFreeze } from "../deep-freeze.ts";
import { lawRuns } from "../law-runs.ts";
import { strangeEntries } from "../strange-values.ts";
import { arbitraryDamagedMessages } from "./arbitrary-damaged-messages.ts";
import { changesInPlace } from "./changes-in-place.ts";

/** A message format under test. */
export interface FormatUnderTest {
  /** Turns messages into entries. */
  readonly read: (messages: readonly object[], options?: ReadOptions) => readonly HistoryEntry[];
  /** Turns entries into messages. */
  readonly write: (entries: readonly HistoryEntry[], viewer?: Viewer) => readonly object[];
  /** Returns a user's message. */
  readonly userMessage: (text: string) => object;
  /** Every kind of message that the provider's SDK has, one of each at least. */
  readonly knownMessages: readonly object[];
  /** What the SDK does not allow and yet comes: unknown fields and kinds, missing ids, contents of the wrong kind. */
  readonly strangeMessages: readonly object[];
  /** Names what the provider would refuse. Without it, nobody checks that. */
  readonly problems?: (
    messages: readonly object[],
  ) => readonly string[] | Promise<readonly string[]>;
}

/** How much the suite does. */
export interface FormatSuiteOptions {
  /** Runs of each property, from 1. Default 100; the environment variable `LAW_RUNS` multiplies it. */
  readonly runs?: number;
}

/**
 * Declares the tests that every message format passes, for vitest: a round trip loses nothing and says nothing twice, entries can be
 * stored, ids repeat, and what the provider is sent it takes. None can be left out.
 *
 * @param name - What the format is called in the report.
 * @throws `HistoryError` with code `INVALID_OPTION` if `runs` is not a non-negative integer or `Infinity`.
 *
 * @example
 * ```ts no-run
 * import { fromChatMessages, toChatMessages } from "@agent-history/openai";
 * import type { ChatMessageLike } from "@agent-history/openai";
 * import { describeMessageFormat } from "@agent-history/testkit/format";
 *
 * describeMessageFormat("chat messages", {
 *   read: (messages, options) => fromChatMessages(messages as readonly ChatMessageLike[], options),
 *   write: toChatMessages,
 *   userMessage: (content) => ({ role: "user", content }),
 *   knownMessages: [{ role: "user", content: "To Rome, please." }],
 *   strangeMessages: [{ role: "critic", content: "A role of tomorrow." }],
 * });
 * ```
 */
export function describeMessageFormat(
  name: string,
  format: FormatUnderTest,
  { runs: asked = 100 }: FormatSuiteOptions = {},
): void {
  const runs = lawRuns(countOption("runs", asked));
  // It ends what hangs, and says nothing about how fast a machine is.
  describe(`${name} as a message format`, { timeout: 1_800_000 }, () => {
    describeMessages(format, runs);
    describeIds(format, runs);
    describeStrange(format, runs);
    describeConversations(format, runs);
  });
}

const now = (): number => 0;

/** Generates conversations of the messages of a format, with fields lost, changed and added. */
function damagedMessages({
  knownMessages,
  strangeMessages,
}: FormatUnderTest): fc.Arbitrary<object[]> {
  const page = [...knownMessages, ...strangeMessages].map(packBinary);
  return arbitraryDamagedMessages(page).map((packed) => packed.map(unpackBinary));
}

function forAll<Drawn>(
  arbitrary: fc.Arbitrary<Drawn>,
  runs: number,
  check: (drawn: Drawn) => void,
): void {
  fc.assert(fc.property(arbitrary, check), { numRuns: runs });
}

/** What holds of each kind of message, and of what is left of them. */
function describeMessages(format: FormatUnderTest, runs: number): void {
  const { read, write, knownMessages, strangeMessages } = format;

  describe.each([
    ["every kind of message of the SDK", knownMessages],
    ["what the SDK does not allow", strangeMessages],
  ])("%s", (_, messages) => {
    it("comes back as it was, says no text twice, and makes entries that can be stored", () => {
      const packed = messages.map(packBinary);
      const entries = read(messages, countedSources());

      expect(write(deepFreeze(entries))).toStrictEqual(messages);
      const text = JSON.stringify(entries);
      expect(sentencesIn(packed).filter((sentence) => !text.includes(sentence))).toEqual([]);
      expect(repeatedTexts(packed, entries)).toEqual([]);
      expect(messages.map(packBinary)).toEqual(packed);
      expect(stored(entries)).toStrictEqual(entries);
      expect(write(stored(entries))).toStrictEqual(messages);
    });

    it("comes back message by message", () => {
      for (const message of messages) expect(write(read([message]))).toStrictEqual([message]);
    });
  });

  describe("damaged messages", () => {
    it("lose nothing, unknown fields and kinds included, say nothing twice, and make entries that can be stored", () => {
      forAll(damagedMessages(format), runs, (messages) => {
        const entries = read(messages, { now });

        // Not strictly: a message may have a field that is called `constructor`.
        expect(write(deepFreeze(entries))).toEqual(messages);
        expect(repeatedTexts(messages.map(packBinary), entries)).toEqual([]);
        expect(stored(entries)).toEqual(entries);
        expect(write(stored(entries))).toEqual(messages);
      });
    });
  });
}

/** What holds of ids, of entry objects, and of messages that are passed in again: what is remembered of them decides nothing. */
function describeIds(format: FormatUnderTest, runs: number): void {
  const { read, userMessage, knownMessages, strangeMessages } = format;
  const damaged = damagedMessages(format);
  const idsOf = (messages: readonly object[]): readonly string[] =>
    read(messages, { now }).map(({ id }) => id);

  describe("ids and entries", () => {
    it("come from the caller, with time, turn and agent, where they are handed in", () => {
      const agent = { id: "a1", role: "worker" } as const;
      const options = { newId: () => "given", now: () => 7, turnId: "t1", agent };

      expect(read([userMessage("To Rome.")], options)).toMatchObject([
        { id: "given", createdAtMs: 7, turnId: "t1", agent },
      ]);
    });

    it("are the same when the conversation comes again, grown", () => {
      forAll(fc.tuple(damaged, damaged), runs, ([before, after]) => {
        // A user's message ends what a provider may go on with.
        const said = [...before, userMessage("Go on.")];
        const known = read(said, { now });
        const grown = read([...said, ...after]).slice(0, known.length);

        for (const [index, entry] of grown.entries()) expect(entry).toBe(known[index]);
        expect(idsOf(copied(said))).toEqual(known.map(({ id }) => id));
      });
    });

    it("differ within a conversation, also where messages say the same", () => {
      forAll(damaged, runs, (messages) => {
        const ids = idsOf([...messages, ...copied(messages)]);

        expect(new Set(ids).size).toBe(ids.length);
      });
    });

    it("say whether they come from position and text", () => {
      forAll(damaged, runs, (messages) => {
        expect(read(messages).every(({ origin }) => origin?.derivedId === true)).toBe(true);
        for (const { origin } of read(messages, countedSources())) {
          expect(origin).not.toHaveProperty("derivedId");
        }
      });
    });
  });

  describe("messages that are handed in again", () => {
    it("are noticed to have changed by every leaf, key and place that is changed in place", () => {
      // Whoever reads a message anew gives it another id.
      const missed = copied([...knownMessages, ...strangeMessages]).flatMap((message) => {
        const before = idsOf([message]).join(" ");
        return changesInPlace(message).filter(({ apply, undo }) => {
          apply();
          const isMissed = idsOf([message]).join(" ") === before;
          undo();
          return isMissed;
        });
      });

      expect(missed).toEqual([]);
    });

    it("read as if for the first time after any changes in place", () => {
      const index = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
      const changed = fc.tuple(damaged, fc.array(index, { maxLength: 8 }));
      // Each run reads a conversation many times.
      forAll(changed, Math.ceil(runs / 5), ([messages, indexes]) => {
        for (const at of [0, ...indexes]) {
          const warm = read(messages, { now });

          expect(JSON.stringify(warm)).toBe(JSON.stringify(read(copied(messages), { now })));
          // Where ids are handed in, nothing is remembered.
          expect(withoutIds(warm)).toBe(withoutIds(read(messages, countedSources())));
          const changes = changesInPlace(messages);
          changes[Math.floor(at * changes.length)]?.apply();
        }
      });
    });
  });
}

/** What holds of values that are no messages and no entries. */
function describeStrange(format: FormatUnderTest, allRuns: number): void {
  // Values 200,000 levels deep take a hundred times as long as others.
  const runs = Math.ceil(allRuns / 10);
  const { read, write, userMessage, knownMessages } = format;
  const history = fc.sample(arbitraryHistory(), { numRuns: 20, seed: 7 }).flat();
  const samples = [...new Map(history.map((entry) => [entry.type, entry])).values()];
  const known = read(knownMessages).slice(0, 8);
  const messages = strangeEntries(knownMessages.slice(0, 8));
  const entries = strangeEntries<HistoryEntry>([...samples, ...known]);
  // By their indexes: they cannot all be printed.
  const locations = (list: readonly unknown[]): fc.Arbitrary<readonly number[]> =>
    fc.array(fc.nat({ max: list.length - 1 }), { minLength: 1, maxLength: 3 });

  describe("strange values", () => {
    it("become entries that can be stored, and do not throw", () => {
      forAll(locations(messages), runs, (at) => {
        const among = at.flatMap((index) => messages.slice(index, index + 1));
        const came = read([userMessage("Hi."), ...among, userMessage("Go on.")]);

        expect(came.map(parseEntry)).toEqual(came);
        expect(write(came).length).toBeGreaterThan(1);
      });
    });

    it("come back where they are JSON", () => {
      const plain: readonly object[] = JSON.parse(
        '[null, true, 0, -1.5, "", "text", [], [null], {}]',
      );

      expect(write(read(plain))).toEqual(plain);
    });

    it("are left out of messages where they are entries that cannot be read", () => {
      forAll(locations(entries), runs, (at) => {
        const among = at.flatMap((index) => entries.slice(index, index + 1));
        const said = read([userMessage("Hi.")]);

        expect(write([...said, ...among])).toEqual(expect.arrayContaining([userMessage("Hi.")]));
      });
    });

    it("have no part in a user's own type: its content is a user's message, and without one it is left out", () => {
      const note = customEntry({ type: "note", content: "Hi.", stars: 5 });
      const event = customEntry({ type: "event", payload: { clicked: true } });
      const [hello] = write([note]);

      expect(hello).toEqual(write([errorEntry({ content: "Hi." })])[0]);
      expect(write([event, note, event])).toEqual([hello]);
      expect(write([event], { agentId: "w1" })).toEqual([]);
    });
  });
}

/** What holds of the messages that any entries become, wherever they came from. */
function describeConversations({ read, write, problems }: FormatUnderTest, runs: number): void {
  const viewerId = fc.constantFrom("", "a", "b");

  describe("entries of another origin", () => {
    it("become messages that come back as they are, sound or not", () => {
      const entries = fc.oneof(arbitraryHistory(), fc.array(arbitraryEntry(), { maxLength: 12 }));
      forAll(fc.tuple(entries, viewerId), runs, ([drawn, agentId]) => {
        const messages = write(deepFreeze(withoutOrigin(drawn)), { agentId });

        expect(write(read(messages))).toStrictEqual(messages);
      });
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

/** Returns entries as a store gives them back. */
function stored(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const rows: readonly unknown[] = JSON.parse(JSON.stringify(entries));
  return rows.map(parseEntry);
}

/** Copies messages, so that no object appears twice, and all can be changed. */
function copied(messages: readonly object[]): object[] {
  // As one value: the list may have been changed, too.
  const copies: { readonly messages?: object[] } = unpackBinary(packBinary({ messages }));
  return copies.messages ?? [];
}

function withoutIds(entries: readonly HistoryEntry[]): string {
  const said = entries.map(({ id: _, createdAtMs: __, origin, ...fields }) => {
    const { message: ___, derivedId: ____, ...others } = origin ?? {};
    return { ...fields, ...others };
  });
  return JSON.stringify(said);
}

/** Returns ids that count up and a clock that stands still. */
function countedSources(): EntrySources {
  let count = 0;
  return { newId: () => `entry-${(count += 1)}`, now };
}

/** Returns entries as they would be without a provider: no format carries anything for them. */
function withoutOrigin(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  return entries.map(({ origin: _, ...said }) => said);
}

/**
 * Returns the sentences that stand in the entries more often than in the messages they came from. The names of calls may:
 * a result carries its tool's.
 */
function repeatedTexts(
  messages: readonly JsonValue[],
  entries: readonly HistoryEntry[],
): readonly string[] {
  const timesIn = (whole: string, part: string): number => whole.split(part).length - 1;
  const [came, written] = [JSON.stringify(messages), JSON.stringify(entries)];
  const names = entries.flatMap(namesIn);
  return sentencesIn(messages)
    .filter((text) => !names.some((name) => name.includes(text)))
    .filter((text) => timesIn(written, text) > timesIn(came, text));
}

function namesIn(entry: HistoryEntry): readonly string[] {
  if (entry.type === "observation") return [entry.callId, entry.toolName];
  if (entry.type !== "action") return [];
  return entry.toolCalls.flatMap(({ id, name }) => [id, name]);
}

/** Texts of words; ids, types and names have no spaces. Those that JSON escapes look different in arguments. */
function sentencesIn(value: JsonValue | readonly JsonValue[]): readonly string[] {
  if (typeof value === "string")
    return /^[\w.,:;' !?-]* [\w.,:;' !?-]*$/u.test(value) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((item: JsonValue) => sentencesIn(item));
}
