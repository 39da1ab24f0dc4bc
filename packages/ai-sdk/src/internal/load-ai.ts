import { HistoryError } from "@agent-history/core";
import type * as Ai from "ai";

/** Loads the AI SDK when it is needed first: it is an optional peer. */
export async function loadAi(): Promise<typeof Ai> {
  try {
    return await import("ai");
  } catch (cause) {
    throw new HistoryError(
      'Expected the package "ai" to be installed, which is an optional peer. Run `npm install ai`.',
      { code: "MISSING_PACKAGE", details: { package: "ai" }, cause },
    );
  }
}
