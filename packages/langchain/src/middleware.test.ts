import { describe, expect, it } from "vitest";
import { safeParse } from "zod/mini";
import type { ZodMiniObject, ZodMiniOptional } from "zod/mini";

import { keepingMiddleware } from "./middleware.ts";

describe("keepingMiddleware", () => {
  it("declares its state by a schema whose field LangChain can make optional", () => {
    const middleware = keepingMiddleware<object>({
      name: "Kept",
      key: "_kept",
      change: async ({ messages }) => ({ messages, kept: {} }),
    });
    const schema: ZodMiniObject = Reflect.get(middleware, "stateSchema");
    const shape: object = schema.shape;
    const field: { readonly optional: () => ZodMiniOptional } = Reflect.get(shape, "_kept");

    expect(safeParse(schema, { _kept: [1], other: 2 }).data).toEqual({ _kept: [1] });
    expect(safeParse(schema, {}).data).toEqual({});
    expect(safeParse(field.optional(), undefined).success).toBe(true);
  });
});
