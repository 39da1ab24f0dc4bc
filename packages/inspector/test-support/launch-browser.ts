import type { Browser } from "playwright-core";
import { chromium } from "playwright-core";

import type { BrowserProgram } from "./find-browser.ts";

/** Starts a browser, without a window. */
export function launchBrowser({ path, libraryPath }: BrowserProgram): Promise<Browser> {
  return chromium.launch({
    executablePath: path,
    // The page is ours, and whoever starts this may be root.
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
    env: { ...process.env, ...(libraryPath && { LD_LIBRARY_PATH: libraryPath }) },
  });
}
