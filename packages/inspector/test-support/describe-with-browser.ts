import type { Browser } from "playwright-core";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";

import { findBrowser } from "./find-browser.ts";

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
      if (program.kind === "none") return;
      const { path, libraryPath } = program;
      browser = await chromium.launch({
        executablePath: path,
        // The page is ours, and whoever runs the tests may be root.
        args: ["--no-sandbox", "--disable-dev-shm-usage"],
        env: { ...process.env, ...(libraryPath && { LD_LIBRARY_PATH: libraryPath }) },
      });
    });
    afterAll(() => browser?.close());
    tests(() => {
      if (browser === undefined) throw new Error("The browser has not started.");
      return browser;
    });
  });
}
