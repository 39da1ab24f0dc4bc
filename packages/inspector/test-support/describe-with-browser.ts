import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";

import { findBrowser } from "./find-browser.ts";
import { launchBrowser } from "./launch-browser.ts";

/**
 * Describes what needs a browser. Where none can be had, one line says so and the tests are skipped; where `CI` is set, they fail.
 */
export async function describeWithBrowser(
  name: string,
  tests: (browser: () => Browser) => void,
): Promise<void> {
  const program = await findBrowser();
  const isMissing = program.kind === "none";
  if (isMissing && process.env["CI"] !== undefined) throw new Error(program.reason);
  if (isMissing) process.stderr.write(`SKIPPED ${name}: ${program.reason}\n`);
  describe.skipIf(isMissing)(`${name}, in Chromium`, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      if (program.kind !== "none") browser = await launchBrowser(program);
    });
    afterAll(() => browser?.close());
    tests(() => {
      if (browser === undefined) throw new Error("The browser has not started.");
      return browser;
    });
  });
}
