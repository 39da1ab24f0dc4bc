import * as fc from "fast-check";

/** One thing that a loop does, as data, so that it can be done again on another store or after a restart. */
export type LoopStep =
  | {
      readonly kind: "user";
      readonly content: string;
      readonly rendered: boolean;
      readonly files: number;
    }
  | { readonly kind: "answer"; readonly cites: readonly number[] }
  | { readonly kind: "call"; readonly worker: number | undefined; readonly calls: number }
  | {
      readonly kind: "results";
      readonly sources: readonly (readonly number[])[];
      readonly fails: boolean;
    }
  | { readonly kind: "task"; readonly worker: number }
  | {
      readonly kind: "note";
      readonly what: "final" | "synthesis" | "memory" | "error" | "plan";
      readonly worker: number;
    }
  | { readonly kind: "observe"; readonly sources: readonly number[] }
  | {
      readonly kind: "ask";
      readonly worker: number | undefined;
      readonly rendered: boolean;
      readonly uploads: boolean;
    }
  | { readonly kind: "compress"; readonly view: "thread" | "conversation" | "agent:worker-0" }
  | { readonly kind: "expand" };

const sourceId: fc.Arbitrary<number> = fc.nat({ max: 12 });
const worker: fc.Arbitrary<number> = fc.nat({ max: 1 });
const maybeWorker: fc.Arbitrary<number | undefined> = fc.option(worker, { nil: undefined });
const content: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom("Why", "日本", "x ", "[source3] "), fc.nat({ max: 12 }))
  .map(([text, times]) => text.repeat(times + 1));

const loopStep: fc.Arbitrary<LoopStep> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("user" as const),
      content,
      rendered: fc.boolean(),
      files: fc.nat({ max: 2 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("answer" as const),
      cites: fc.array(sourceId, { maxLength: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("call" as const),
      worker: maybeWorker,
      calls: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("results" as const),
      sources: fc.array(fc.array(sourceId, { maxLength: 3 }), { minLength: 1, maxLength: 3 }),
      fails: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("task" as const), worker }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("note" as const),
      what: fc.constantFrom("final", "synthesis", "memory", "error", "plan"),
      worker,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("observe" as const),
      sources: fc.array(sourceId, { maxLength: 2 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("ask" as const),
      worker: maybeWorker,
      rendered: fc.boolean(),
      uploads: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("compress" as const),
      view: fc.constantFrom("thread", "conversation", "agent:worker-0"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("expand" as const) }) },
);

/** What a loop does, one step after the other. */
export const loopScript: fc.Arbitrary<readonly LoopStep[]> = fc.array(loopStep, {
  minLength: 5,
  maxLength: 40,
  size: "max",
});
