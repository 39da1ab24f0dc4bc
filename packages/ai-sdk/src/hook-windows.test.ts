import { createReducer } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";
import { describe, expect, it } from "vitest";

import { fitMiddleware, fitStep } from "./index.ts";

const reducer = createReducer({ counter: tiktokenCounter({ encoding: "o200k_base" }) });

describe("a window that can never work", () => {
  it.each([
    { contextTokens: -1 },
    { contextTokens: 1.5 },
    { contextTokens: Number.NaN },
    { contextTokens: Infinity, outputReserveTokens: Infinity },
    { contextTokens: 100, outputReserveTokens: 80, marginTokens: 21 },
    { contextTokens: 100, outputReserveTokens: -1 },
  ])("is refused where the hook is made: %o", (window) => {
    const refused = expect.objectContaining({ code: "INVALID_OPTION" });

    expect(() => fitMiddleware({ reducer, window })).toThrow(refused);
    expect(() => fitStep({ reducer, window })).toThrow(refused);
  });
});
