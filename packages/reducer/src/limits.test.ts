import {
  action,
  assistantMessage,
  isHistoryError,
  observation,
  systemMessage,
  userMessage,
} from "@agent-history/core";
import type {
  ContentPart,
  HistoryEntry,
  MediaCount,
  ModelWindow,
  ReductionPlan,
  TokenCounter,
} from "@agent-history/core";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { fitToWindow } from "./index.ts";

/** A token for each four characters; an image of known size has one for each 750 pixels, any other and a page of a file 4,000. */
const counter: TokenCounter = {
  id: "pixels",
  countText: (text) => Math.ceil(text.length / 4),
  countEntry: (entry) =>
    countMedia(entry).reduce(
      (sum, { tokens }) => sum + tokens,
      4 + Math.ceil(textOf(entry).length / 4),
    ),
  countMedia: (entry) => countMedia(entry),
  countRequest: (tools = []) => Math.ceil(JSON.stringify(tools).length / 4),
};
const window: ModelWindow = {
  contextTokens: 1_000_000,
  maxBytes: 32_000_000,
  maxImages: 600,
  maxImagePixels: 8000,
  manyImages: { above: 20, maxImagePixels: 2000 },
};

describe("fitToWindow within bytes and images", () => {
  it("turns the oldest of 42 screenshots into lines, where they have 46 MB and 32 are allowed", () => {
    const entries = loop(42, image(1280, 800, 1_100_000));
    const { entries: sent, plan } = fitToWindow(entries, { counter, window });

    expect(plan.totalBytes).toBeLessThanOrEqual(32_000_000);
    expect(plan.totalImages).toBe(29);
    expect(sent).toHaveLength(entries.length);
    expect(shown(sent)).toEqual(shown(entries).map((_, nth) => (nth < 13 ? "text" : "image")));
    expect(plan.totalTokens).toBeLessThan(29 * 1500 + 2000);
    expect(plan.decisions.find(({ action: { kind } }) => kind === "edit")).toMatchObject({
      step: "stub-old-media",
      reason: "media that exceed the window's maxBytes",
    });
  });

  it("keeps as many large images as may be in one request, and small ones beside them", () => {
    const large = fitToWindow(loop(150, image(3000, 2000)), { counter, window }).plan;
    expect([large.totalImages, large.longestSidePixels]).toEqual([20, 3000]);

    const mixed = [...loop(30, image(3000, 2000)), ...loop(30, image(1000, 800))];
    const { plan, entries } = fitToWindow(mixed, { counter, window });
    expect([plan.totalImages, plan.longestSidePixels]).toEqual([30, 1000]);
    expect(shown(entries).slice(30)).toEqual(Array(30).fill("image"));

    const huge = fitToWindow([...loop(2, image(9000, 100)), ...loop(1, image(10, 10))], {
      counter,
      window,
    });
    expect(huge.plan.totalImages).toBe(1);
  });

  it("gives up media of finished turns before those of this turn, and these before the newest", () => {
    const old = loop(3, image(100, 100));
    const now = loop(3, image(100, 100)).map((entry) => ({ ...entry, id: `now-${entry.id}` }));
    const kept = (maxImages: number): readonly string[] =>
      shown(fitToWindow([...old, ...now], { counter, window: { ...window, maxImages } }).entries);

    expect(kept(4).join(" ")).toBe("text text image image image image");
    expect(kept(2).join(" ")).toBe("text text text text image image");
    expect(kept(1).join(" ")).toBe("text text text text text image");
    expect(kept(0).join(" ")).toBe("text text text text text text");
  });

  it("gives up images that a model made, too", () => {
    const made = Array.from({ length: 3 }, (_, nth) => [
      userMessage({ id: `u${nth}`, content: "Draw it." }),
      assistantMessage({ id: `a${nth}`, content: [image(100, 100)] }),
    ]).flat();
    const { plan, entries } = fitToWindow([...made, userMessage({ content: "Better." })], {
      counter,
      window: { ...window, maxImages: 1 },
    });

    expect(plan.totalImages).toBe(1);
    const answers = entries.filter(({ type }) => type === "assistant_message");
    expect(answers.map((entry) => contentOf(entry)[0]?.type)).toEqual(["text", "text", "image"]);
  });

  it("drops texts, where these alone have too many bytes", () => {
    const entries = Array.from({ length: 40 }, (_, nth) => [
      userMessage({ id: `u${nth}`, content: `${nth}: ${"é".repeat(500)}` }),
      assistantMessage({ id: `a${nth}`, content: "Noted." }),
    ]).flat();
    const { plan, entries: sent } = fitToWindow(entries, {
      counter,
      window: { contextTokens: 1_000_000, maxBytes: 20_000 },
    });

    expect(plan.totalBytes).toBeLessThanOrEqual(20_000);
    expect(plan.totalBytes).toBeGreaterThan(14_000);
    expect(sent.at(-2)).toBe(entries.at(-2));
  });

  it("changes what was sent rarely while a loop goes on", () => {
    const all = loop(120, image(3000, 2000, 900_000));
    let previousPlan: ReductionPlan | undefined;
    let last: readonly HistoryEntry[] = [];
    let changes = 0;
    for (let length = 3; length <= all.length; length += 2) {
      const entries = all.slice(0, length);
      const { plan, entries: sent } = fitToWindow(entries, { counter, window, previousPlan });
      expect(plan.totalBytes).toBeLessThanOrEqual(32_000_000);
      expect(plan.totalImages).toBeLessThanOrEqual(20);
      if (last.some((entry, nth) => entry !== sent[nth])) changes += 1;
      const stored: ReductionPlan = JSON.parse(JSON.stringify(plan));
      previousPlan = length % 4 === 1 ? stored : plan;
      last = sent;
    }
    expect(changes).toBeLessThanOrEqual(14);
  });

  it("refuses what cannot be sent, and names the limit", () => {
    const question = userMessage({ content: [image(9000, 10)] });
    const failure = errorOf([question], window);
    expect(failure).toMatchObject({ details: { limit: "maxImagePixels", required: 9000 } });
    const bytes = { ...window, maxBytes: 1000 };
    expect(
      errorOf([userMessage({ content: "x".repeat(2000), pinned: true })], bytes),
    ).toMatchObject({
      details: { limit: "maxBytes" },
    });
    expect(errorOf([question], { ...window, maxImages: -1 })).toMatchObject({
      code: "INVALID_OPTION",
    });
  });

  it("keeps every limit, whatever images and files come in which order, live and from stored plans", () => {
    const side = fc.integer({ min: 1, max: 9 }).map((nth) => nth * 100);
    const part: fc.Arbitrary<ContentPart> = fc.oneof(
      fc
        .tuple(side, side, fc.nat(4000))
        .map(([width, height, length]) => image(width, height, length)),
      fc.constant({
        type: "image",
        source: { kind: "url", url: "https://a.example/p.png" },
      } as const),
      fc.nat(4000).map((length) => ({ type: "file", source: pad(length) }) as const),
      fc.string().map((text) => ({ type: "text", text }) as const),
    );
    const limits = fc.record({
      contextTokens: fc.constant(200_000),
      maxBytes: fc.integer({ min: 5000, max: 60_000 }),
      maxImages: fc.nat(8),
      maxImagePixels: side,
      manyImages: fc.record({ above: fc.nat(5), maxImagePixels: side }),
    });
    fc.assert(
      fc.property(
        fc.array(fc.array(part, { maxLength: 3 }), { maxLength: 12 }),
        limits,
        (given, own) => {
          let previousPlan: ReductionPlan | undefined;
          const all = given.flatMap((content, nth) => exchange(nth, content));
          for (let length = 1; length <= all.length; length += 4) {
            const entries = [userMessage({ id: "u", content: "Go on." }), ...all.slice(0, length)];
            const fit = { counter, window: own, previousPlan };
            const outcome = resultOf(() => fitToWindow(entries, fit));
            if (outcome === undefined) continue;
            const { plan, entries: sent } = outcome;
            const images = sent.flatMap(contentOf).filter((one) => one.type === "image");
            expect(plan.totalImages).toBe(images.length);
            expect(plan.totalImages).toBeLessThanOrEqual(own.maxImages);
            expect(plan.totalBytes).toBeLessThanOrEqual(own.maxBytes);
            const most =
              images.length > own.manyImages.above
                ? Math.min(own.maxImagePixels, own.manyImages.maxImagePixels)
                : own.maxImagePixels;
            for (const { width = 0, height = 0 } of sent.flatMap((one) => countMedia(one)))
              expect(Math.max(width, height)).toBeLessThanOrEqual(most);
            const unknown = images.filter(({ source }) => source.kind === "url").length;
            expect(plan.estimatedMedia?.count ?? 0).toBeGreaterThanOrEqual(unknown);
            previousPlan = length % 8 === 1 ? plan : JSON.parse(JSON.stringify(plan));
          }
        },
      ),
      { numRuns: lawRuns(150) },
    );
  });

  it("says that it made room where texts beyond the bytes make it shorten what was sent", () => {
    const results = [0, 1].flatMap((nth) =>
      exchange(nth, [{ type: "text", text: "hot ".repeat(5000) }]),
    );
    const entries = [userMessage({ id: "u", content: "Where is it hot?" }), ...results];
    const options = { counter, window: { contextTokens: 1_000_000, maxBytes: 40_000 } };
    const first = fitToWindow(entries.slice(0, 3), options);
    const next = fitToWindow(entries, { ...options, previousPlan: first.plan });
    expect(first.entries[2]).toBe(entries[2]);
    expect(next.entries[2]).not.toEqual(entries[2]);
    expect(next.plan.continued?.stoppedBy).toBe("cut");
    expect(next.plan.continued?.entryCount).toBeLessThanOrEqual(2);
  });

  it("counts what stands behind a change once", () => {
    const chat = [
      userMessage({ id: "u1", content: "Hello." }),
      assistantMessage({ id: "a1", content: "Hello!" }),
      userMessage({ id: "u2", content: [image(1280, 800)] }),
      assistantMessage({ id: "a2", content: "A form." }),
    ];
    const options = { counter, window: { ...window, maxImages: 1 } };
    const { plan } = fitToWindow(chat, options);
    const edited = chat.with(1, assistantMessage({ id: "a1", content: "Good morning." }));
    const next = fitToWindow(edited, { ...options, previousPlan: plan });
    expect(next.plan.continued).toEqual({ entryCount: 1, stoppedBy: "change" });
    const { totalBytes, totalImages } = fitToWindow(edited, options).plan;
    expect(next.plan).toMatchObject({ totalBytes, totalImages });
  });
});

describe("media of unknown size", () => {
  const pdf = { type: "file", source: { kind: "id", id: "file-1" } } as const;
  const elsewhere = {
    type: "image",
    source: { kind: "url", url: "https://a.example/p.png" },
  } as const;

  it("are never the reason to refuse a request, and are named in the plan", () => {
    const content = [pdf, pdf, pdf, elsewhere, { type: "text", text: "Compare." } as const];
    const entries = [
      userMessage({ content: "Before." }),
      assistantMessage({ content: "Yes." }),
      userMessage({ content }),
    ];
    const { plan, entries: sent } = fitToWindow(entries, {
      counter,
      window: { contextTokens: 8000 },
    });

    expect(sent).toBe(entries);
    expect(plan.totalTokens).toBeLessThanOrEqual(8000);
    expect(plan.estimatedMedia?.count).toBe(4);
    const next = fitToWindow([...entries, assistantMessage({ content: "They agree." })], {
      counter,
      window: { contextTokens: 8000 },
      previousPlan: plan,
    });
    expect(next.entries).toHaveLength(4);
  });

  it("hide no text that is too long for the window", () => {
    const content = [elsewhere, { type: "text", text: "long ".repeat(800) } as const];

    expect(errorOf([userMessage({ content })], { contextTokens: 900 })).toMatchObject({
      code: "WINDOW_TOO_SMALL",
      details: { required: 1005 },
    });
  });

  it("ask for no more than is needed where a request stays only for a pinned answer", () => {
    const entries = [
      userMessage({ content: "word ".repeat(200) }),
      assistantMessage({ content: "Yes.", pinned: true }),
      userMessage({ content: [elsewhere] }),
    ];
    const error = errorOf(entries, { contextTokens: 20 });
    const required = isHistoryError(error) ? Number(error.details["required"]) : 0;
    const { plan } = fitToWindow(entries, { counter, window: { contextTokens: required } });
    expect(plan.totalTokens).toBeLessThanOrEqual(required);
  });

  it("count whole where the part says how large they are", () => {
    const entries = [userMessage({ content: [{ ...pdf, pages: 300 }] })];
    expect(errorOf(entries, { contextTokens: 200_000 })).toMatchObject({
      code: "WINDOW_TOO_SMALL",
    });
    const known = { ...elsewhere, width: 100, height: 100 };
    const { plan } = fitToWindow([userMessage({ content: [known] })], { counter, window });
    expect(plan.estimatedMedia).toBeUndefined();
  });
});

describe("WINDOW_TOO_SMALL", () => {
  it("names what takes how much, the largest first", () => {
    const tools = [{ name: "find", description: "Finds things. ".repeat(400) }];
    const entries = [
      systemMessage({ content: "Be brief. ".repeat(100) }),
      userMessage({ id: "p", content: "Pinned. ".repeat(50), pinned: true }),
      assistantMessage({ content: "Yes." }),
      userMessage({ content: "What now?" }),
    ];
    const small = { contextTokens: 2000, outputReserveTokens: 500 };
    let failure: unknown;
    try {
      fitToWindow(entries, { counter, window: small, tools });
    } catch (error) {
      failure = error;
    }

    expect(isHistoryError(failure, "WINDOW_TOO_SMALL")).toBe(true);
    const { message, details } = failure as { message: string; details: { parts: string[] } };
    const names = details.parts.map((part) => part.replace(/ \d+$/, ""));
    expect(names).toEqual(["tools", "reserved", "instructions", "pins", "question"]);
    expect(message).toContain(`It consists of: ${details.parts.join(", ")}.`);
  });
});

/** A request, and so many calls that are answered by a picture. */
function loop(count: number, picture: ContentPart): readonly HistoryEntry[] {
  const steps = Array.from({ length: count }, (_, nth) => exchange(nth, [picture]));
  return [userMessage({ id: `u-${count}`, content: "Drive the browser." }), ...steps.flat()].map(
    (entry) => ({
      ...entry,
      id: `${entry.id}-${count}-${JSON.stringify(picture).length}`,
    }),
  );
}

function exchange(nth: number, content: readonly ContentPart[]): readonly HistoryEntry[] {
  const id = `c${nth}`;
  return [
    action({ id: `a${nth}`, toolCalls: [{ id, name: "shot", arguments: "{}" }] }),
    observation({ id: `o${nth}`, callId: id, toolName: "shot", outcome: "success", content }),
  ];
}

/** An image of known size, with so many characters of base64. */
function image(
  width: number,
  height: number,
  length = 100,
): Extract<ContentPart, { type: "image" }> {
  return { type: "image", source: pad(length), width, height };
}

function pad(length: number): { readonly kind: "data"; readonly base64: string } {
  return { kind: "data", base64: "A".repeat(length) };
}

function textOf(entry: HistoryEntry): string {
  const texts = contentOf(entry).map((part) => (part.type === "text" ? part.text : ""));
  return typeof entry.content === "string" ? entry.content : texts.join("");
}

function countMedia(entry: HistoryEntry): readonly MediaCount[] {
  return contentOf(entry).flatMap((part): readonly MediaCount[] => {
    if (part.type === "file") {
      const { pages } = part;
      const isKnown = pages !== undefined;
      return [
        { kind: "file", tokens: (pages ?? 10) * 4000, ...(!isKnown && { isEstimate: true }) },
      ];
    }
    if (part.type !== "image") return [];
    const { width, height } = part;
    if (width === undefined || height === undefined) {
      return [{ kind: "image", tokens: 4000, isEstimate: true }];
    }
    return [{ kind: "image", tokens: Math.ceil((width * height) / 750), width, height }];
  });
}

function contentOf({ content = "" }: HistoryEntry): readonly ContentPart[] {
  return typeof content === "string" ? [] : content;
}

/** What each result shows. */
function shown(entries: readonly HistoryEntry[]): readonly string[] {
  return entries.flatMap((entry) =>
    entry.type === "observation" ? [contentOf(entry)[0]?.type ?? "text"] : [],
  );
}

function resultOf<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch (error) {
    expect(isHistoryError(error, "WINDOW_TOO_SMALL")).toBe(true);
    return undefined;
  }
}

function errorOf(entries: readonly HistoryEntry[], own: ModelWindow): unknown {
  try {
    fitToWindow(entries, { counter, window: own });
  } catch (error) {
    return error;
  }
  return undefined;
}
