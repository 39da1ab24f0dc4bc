import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import type { Browser, Page } from "playwright-core";

import type { InspectorData } from "../src/inspector-data.ts";
import { inspectorPage } from "../src/inspector-page.ts";

/** A page in a browser, and what happened to it. */
export interface OpenedPage {
  readonly page: Page;
  /** What was asked of the network or of files, the page itself left out. */
  readonly requests: readonly string[];
  /** Errors, and whatever was written to the console: violations of the policy are. */
  readonly complaints: readonly string[];
}

/** How it is opened. */
export interface OpenOptions {
  readonly colorScheme?: "light" | "dark";
  /** In CSS pixels. Default 1280. */
  readonly width?: number;
  /** Default 800. */
  readonly height?: number;
  /** The table of tokens that it carries. */
  readonly ranks?: string;
}

/** Writes data as a page, opens it as a file without a network, does something with it, and closes it. */
export async function withPage(
  browser: Browser,
  data: InspectorData,
  use: (opened: OpenedPage) => Promise<void>,
  { colorScheme = "light", width = 1280, height = 800, ranks }: OpenOptions = {},
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "agent-history-page-"));
  const viewport = { width, height };
  const context = await browser.newContext({ offline: true, colorScheme, viewport });
  try {
    const file = join(folder, "page.html");
    await writeFile(file, inspectorPage(data, { ranks }));
    const address = pathToFileURL(file).href;
    const page = await context.newPage();
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => {
      if (request.url().split("#")[0] !== address) requests.push(request.url());
    });
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", ({ message }) => complaints.push(message));
    page.on("dialog", (dialog) => {
      complaints.push(dialog.message());
      void dialog.dismiss();
    });
    await page.goto(address);
    await use({ page, requests, complaints });
  } finally {
    await context.close();
    await rm(folder, { recursive: true });
  }
}
