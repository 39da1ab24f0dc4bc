import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod/mini";

import type { Identical, SchemaOf } from "./identical.ts";
import { identical } from "./identical.ts";

interface Sample {
  readonly name: string;
  readonly tags?: readonly ("old" | "new")[];
}

const sealed = <const Shape extends z.core.$ZodShape>(
  shape: Shape,
): z.ZodMiniReadonly<z.ZodMiniObject<Shape, z.core.$strict>> => z.readonly(z.strictObject(shape));

const name = z.string();
const tags = z.readonly(z.array(z.literal(["old", "new"])));
const faithful = sealed({ name, tags: z.exactOptional(tags) });

type IsNever<Type> = [Type] extends [never] ? true : false;
type IsRefused<Schema extends z.ZodMiniType> = IsNever<SchemaOf<Sample, Schema>>;

// The compiler is the test here (`pnpm check`): at run time `expectTypeOf` holds whatever it is given.
describe("Identical", () => {
  it("is true for one type, written twice", () => {
    expectTypeOf<
      Identical<{ readonly a?: string }, { readonly a?: string }>
    >().toEqualTypeOf<true>();
    expectTypeOf<Identical<z.output<typeof faithful>, Sample>>().toEqualTypeOf<true>();
  });

  it("is false for a drift, in either direction", () => {
    expectTypeOf<Identical<{ a: 1 }, { a: 1; b: 2 }>>().toEqualTypeOf<false>();
    expectTypeOf<Identical<{ a: 1; b: 2 }, { a: 1 }>>().toEqualTypeOf<false>();
    expectTypeOf<Identical<{ a: 1; b?: 2 }, { a: 1 }>>().toEqualTypeOf<false>();
    expectTypeOf<Identical<{ a: 1 }, { readonly a: 1 }>>().toEqualTypeOf<false>();
    expectTypeOf<Identical<{ readonly a: 1 }, { a: 1 }>>().toEqualTypeOf<false>();
    expectTypeOf<Identical<{ a: 1 }, { a?: 1 }>>().toEqualTypeOf<false>();
    expectTypeOf<Identical<{ a?: 1 }, { a: 1 }>>().toEqualTypeOf<false>();
    expectTypeOf<Identical<{ a?: 1 }, { a?: 1 | undefined }>>().toEqualTypeOf<false>();
    expectTypeOf<Identical<"a", "a" | "b">>().toEqualTypeOf<false>();
    expectTypeOf<Identical<"a" | "b", "a">>().toEqualTypeOf<false>();
    expectTypeOf<Identical<unknown, string>>().toEqualTypeOf<false>();
    expectTypeOf<Identical<never, string>>().toEqualTypeOf<false>();
  });

  it("is false for a drift below the surface", () => {
    expectTypeOf<Identical<{ a: readonly 1[] }, { a: 1[] }>>().toEqualTypeOf<false>();
    expectTypeOf<Identical<{ a: { b: 1 } }, { a: { readonly b: 1 } }>>().toEqualTypeOf<false>();
    expectTypeOf<Identical<{ a: { b?: 1 } }, { a: { b: 1 } }>>().toEqualTypeOf<false>();
  });
});

describe("identical", () => {
  it("gives back the schema of exactly its type", () => {
    expect(identical<Sample>()(faithful)).toBe(faithful);
  });

  it("takes no schema that drifted", () => {
    const dropped = sealed({ name });
    const extra = sealed({ name, tags: z.exactOptional(tags), more: z.exactOptional(name) });
    const required = sealed({ name, tags });
    const optional = sealed({ name: z.exactOptional(name), tags: z.exactOptional(tags) });
    const orUndefined = sealed({ name, tags: z.optional(tags) });
    const mutable = z.strictObject({ name, tags: z.exactOptional(tags) });
    const mutableList = sealed({
      name,
      tags: z.exactOptional(z.array(z.literal(["old", "new"]))),
    });
    const narrower = sealed({ name, tags: z.exactOptional(z.readonly(z.array(z.literal("old")))) });
    const wider = sealed({ name, tags: z.exactOptional(z.readonly(z.array(name))) });

    expectTypeOf<IsRefused<typeof faithful>>().toEqualTypeOf<false>();
    expectTypeOf<IsRefused<typeof dropped>>().toEqualTypeOf<true>();
    expectTypeOf<IsRefused<typeof extra>>().toEqualTypeOf<true>();
    expectTypeOf<IsRefused<typeof required>>().toEqualTypeOf<true>();
    expectTypeOf<IsRefused<typeof optional>>().toEqualTypeOf<true>();
    expectTypeOf<IsRefused<typeof orUndefined>>().toEqualTypeOf<true>();
    expectTypeOf<IsRefused<typeof mutable>>().toEqualTypeOf<true>();
    expectTypeOf<IsRefused<typeof mutableList>>().toEqualTypeOf<true>();
    expectTypeOf<IsRefused<typeof narrower>>().toEqualTypeOf<true>();
    expectTypeOf<IsRefused<typeof wider>>().toEqualTypeOf<true>();
    expectTypeOf<IsRefused<z.ZodMiniType>>().toEqualTypeOf<true>();
  });
});
