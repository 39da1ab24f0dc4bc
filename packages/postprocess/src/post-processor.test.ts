import { assistantMessage } from "@agent-history/core";
import { arbitraryText, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { historyCleaner } from "./history-cleaner.ts";
import { postProcessor } from "./post-processor.ts";
import type { PostProcessor } from "./post-processor.ts";
import { removeFromText } from "./remove-from-text.ts";

const nonces = ["k3v9q27hd0xw", "aaaaaaaa", "Zz00Zz00Zz00Zz00"] as const;

/** Texts of marks, whole and broken, of every nonce, and of what is often added. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...nonces).chain((nonce) => {
        const mark = `<!--ah:${nonce}-->`;
        const pieces = [
          mark,
          `<!--/ah:${nonce}-->`,
          `ah:${nonce}`,
          nonce,
          mark.slice(0, 9),
          mark.slice(9),
        ];
        return fc.constantFrom(...pieces);
      }),
      fc.constantFrom("<!--", "-->", "ah:", "/", "a", "<details>x</details>", "\n", "👍"),
      arbitraryText({ maxLength: 12 }),
    ),
    { maxLength: 10 },
  )
  .map((pieces) => pieces.join(""));

/** Where something is added, and what. */
const additions = fc.array(
  fc.record({ before: hostile, after: hostile, isMarkedTwice: fc.boolean() }),
  { minLength: 1, maxLength: 3 },
);

type Addition = typeof additions extends fc.Arbitrary<readonly (infer One)[]> ? One : never;

function around({ before, after, isMarkedTwice }: Addition, nonce: string): PostProcessor {
  return postProcessor({
    name: nonce,
    nonce,
    apply: (text, { mark }) =>
      mark(before) + text + (isMarkedTwice ? mark(after + mark(before)) : mark(after)),
  });
}

async function remove(text: string, cleaners: readonly PostProcessor[]): Promise<string> {
  const cleaned = await removeFromText(text, { cleaners });
  expect(cleaned.failures).toEqual([]);
  return cleaned.text;
}

describe("postProcessor", () => {
  it("takes away what it added, whatever the text and the addition hold", async () => {
    await fc.assert(
      fc.asyncProperty(
        hostile,
        additions,
        fc.constantFrom(...nonces),
        async (text, [one], nonce) => {
          const processor = around(one as Addition, nonce);

          const shown = await processor.apply(text);

          expect(await remove(shown, [processor])).toBe(text);
        },
      ),
      { numRuns: lawRuns(3000) },
    );
  });

  it("takes away what several added, in the reverse order, the same nonce included", async () => {
    await fc.assert(
      fc.asyncProperty(
        hostile,
        additions,
        fc.array(fc.constantFrom(...nonces), { minLength: 3, maxLength: 3 }),
        async (text, list, order) => {
          const processors = list.map((one, index) => around(one, order[index] ?? nonces[0]));
          let shown = text;
          for (const processor of processors) shown = await processor.apply(shown);

          expect(await remove(shown, processors.toReversed())).toBe(text);
        },
      ),
      { numRuns: lawRuns(1000) },
    );
  });

  it("takes away one layer at a time of what it added twice", async () => {
    await fc.assert(
      fc.asyncProperty(hostile, additions, async (text, [one]) => {
        const processor = around(one as Addition, nonces[0]);
        const once = await processor.apply(text);
        const twice = await processor.apply(once);

        expect(await remove(twice, [processor])).toBe(once);
        expect(await remove(twice, [processor, processor])).toBe(text);
      }),
      { numRuns: lawRuns(1000) },
    );
  });

  it("takes away what was added within a text, or rejects it", async () => {
    const entryIndex = fc.integer({ min: 0, max: 100 });
    await fc.assert(
      fc.asyncProperty(hostile, fc.array(entryIndex, { maxLength: 3 }), async (text, percents) => {
        const [nonce] = nonces;
        const processor = postProcessor({
          name: "within",
          nonce,
          apply: (given, { mark }) => {
            const indexes = [0, ...percents.map((one) => Math.round((one * given.length) / 100))];
            return indexes
              .toSorted((a, b) => a - b)
              .map((start, index, all) => mark("+") + given.slice(start, all[index + 1]))
              .join("");
          },
        });

        const [shown] = await Promise.allSettled([processor.apply(text)]);

        if (shown.status === "fulfilled") expect(await remove(shown.value, [processor])).toBe(text);
        else {
          expect(text).toContain(`ah:${nonce}`);
          expect(shown.reason).toMatchObject({ code: "CLEANER_FAILED" });
        }
      }),
      { numRuns: lawRuns(2000) },
    );
  });

  it("cleans an entry back to the text it was made of", async () => {
    const processor = around(
      { before: "", after: "\n\nAsk more.", isMarkedTwice: false },
      nonces[0],
    );
    const written = "Use `<details>` or <!--ah:k3v9q27hd0xw-->.";
    const content = await processor.apply(written);

    const { entries } = await historyCleaner({ cleaners: [processor] }).clean([
      assistantMessage({ content }),
    ]);

    expect(entries).toMatchObject([{ content: written }]);
  });

  it.each<[string, (text: string, mark: (added: string) => string) => string]>([
    ["adds without a mark", (text) => `${text} more`],
    ["changes the text", (text, mark) => text.toUpperCase() + mark("more")],
    ["leaves out some of the text", (text, mark) => text.slice(1) + mark("more")],
    ["marks the text", (text, mark) => mark(text)],
  ])("rejects what %s, without a word of it", async (_, apply) => {
    const processor = postProcessor({
      name: "careless",
      nonce: nonces[0],
      apply: (text, { mark }) => apply(text, mark),
    });

    const error: unknown = await processor.apply("secret").catch((reason: unknown) => reason);

    expect(error).toMatchObject({ code: "CLEANER_FAILED", details: { cleaner: "careless" } });
    expect(String(error)).not.toContain("ecret");
  });

  it("takes its own way to remove, and rejects a text on which that does not work", async () => {
    const banner = "<banner/>";
    const processor = postProcessor({
      name: "banner",
      apply: (text) => banner + text,
      removeFromText: async (text) => text.replaceAll(banner, ""),
    });

    const shown = await processor.apply("Hello.");
    const cleaned = await removeFromText(shown, { cleaners: [processor] });

    expect(shown).toBe("<banner/>Hello.");
    expect(cleaned.text).toBe("Hello.");
    await expect(processor.apply("I write <banner/>.")).rejects.toMatchObject({
      code: "CLEANER_FAILED",
    });
  });

  it("hands the signal on, and rejects once it has fired", async () => {
    const controller = new AbortController();
    const seen: unknown[] = [];
    const processor = postProcessor({
      name: "slow",
      nonce: nonces[0],
      apply: async (text, { signal }) => {
        seen.push(signal);
        controller.abort();
        return text;
      },
    });

    await expect(processor.apply("a", controller.signal)).rejects.toMatchObject({
      code: "ABORTED",
    });
    await expect(processor.apply("a", controller.signal)).rejects.toMatchObject({
      code: "ABORTED",
    });

    expect(seen).toEqual([controller.signal]);
  });

  it("rejects with what `apply` rejects with", async () => {
    const processor = postProcessor({
      name: "offline",
      nonce: nonces[0],
      apply: async () => {
        throw new Error("offline");
      },
    });

    await expect(processor.apply("a")).rejects.toThrow("offline");
  });

  it.each(["", "short", "with-dash-123", "with space", "a".repeat(65), undefined, 12_345_678])(
    "refuses %j as a nonce",
    (nonce) => {
      const options = { name: "x", nonce: nonce as string, apply: (text: string) => text };

      expect(() => postProcessor(options)).toThrow(
        expect.objectContaining({ code: "INVALID_OPTION" }),
      );
    },
  );
});
