import type { JsonObject } from "@agent-history/core";
import { packBinary, unpackBinary } from "@agent-history/format-kit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryDamagedMessages } from "../arbitrary-damaged-messages.ts";
import type { FormatUnderTest } from "../format-under-test.ts";
import { countedSources } from "./counted-sources.ts";

/** What holds of ids, and of entry objects. */
export function describeIds(format: FormatUnderTest, runs: number): void {
  const { read, userMessage, knownMessages, strangeMessages } = format;
  const damaged = arbitraryDamagedMessages([...knownMessages, ...strangeMessages].map(packBinary));
  const now = (): number => 0;
  const idsOf = (messages: readonly object[]): readonly string[] =>
    read(messages, { now }).map(({ id }) => id);

  describe("ids and entries", () => {
    describeOneMessage(format);

    it("are the same when the conversation comes again, grown", () => {
      fc.assert(
        fc.property(damaged, damaged, (before, after) => {
          // A user's message ends what a provider may go on with.
          const said = [...before.map(unpackBinary), userMessage("Go on.")];
          const known = read(said, { now });
          const grown = read([...said, ...after.map(unpackBinary)]).slice(0, known.length);

          for (const [index, entry] of grown.entries()) expect(entry).toBe(known[index]);
          expect(idsOf(copied(said))).toEqual(known.map(({ id }) => id));
        }),
        { numRuns: runs },
      );
    });

    it("differ within a conversation, also where messages say the same", () => {
      fc.assert(
        fc.property(damaged, (packed) => {
          const ids = idsOf([...packed, ...packed].map(unpackBinary));

          expect(new Set(ids).size).toBe(ids.length);
        }),
        { numRuns: runs },
      );
    });

    it("say whether they come from position and text", () => {
      fc.assert(
        fc.property(damaged, (packed) => {
          const messages = packed.map(unpackBinary);

          expect(read(messages).every(({ origin }) => origin?.derivedId === true)).toBe(true);
          for (const { origin } of read(messages, countedSources())) {
            expect(origin).not.toHaveProperty("derivedId");
          }
        }),
        { numRuns: runs },
      );
    });
  });
}

/** What holds of the ids of one message. */
function describeOneMessage({ read, userMessage }: FormatUnderTest): void {
  it("differ where a message was changed", () => {
    const [one] = read([userMessage("To Rome.")]);
    const [other] = read([userMessage("To Oslo.")]);

    expect(one?.id).not.toBe(other?.id);
  });

  it("come from the caller, with time, turn and agent, where they are handed in", () => {
    const agent = { id: "a1", role: "worker" } as const;
    const options = { newId: () => "given", now: () => 7, turnId: "t1", agent };

    expect(read([userMessage("To Rome.")], options)).toMatchObject([
      { id: "given", createdAtMs: 7, turnId: "t1", agent },
    ]);
  });
}

/** Copies messages, so that no object stands twice. */
function copied(messages: readonly object[]): readonly object[] {
  return messages.map((message) => {
    const packed: JsonObject = packBinary(message);
    return unpackBinary(packed);
  });
}
