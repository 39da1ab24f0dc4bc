import { HistoryError } from "@agent-history/core";
import type * as Ai from "ai";

/** Loads the AI SDK on first use, because it is an optional peer of any version. */
export async function loadAi(): Promise<typeof Ai> {
  let ai: typeof Ai;
  try {
    ai = await import("ai");
  } catch (cause) {
    throw new HistoryError(
      'Expected the optional peer "ai" to be installed. Run `npm install ai`.',
      { code: "MISSING_PACKAGE", details: { package: "ai" }, cause },
    );
  }
  // The newest function that is used.
  if ("dynamicTool" in ai) return ai;
  throw new HistoryError(
    'Expected the package "ai" in version 5 or newer; an older one is installed. Run `npm install ai@latest`.',
    { code: "MISSING_PACKAGE", details: { package: "ai", needs: ">=5" } },
  );
}
