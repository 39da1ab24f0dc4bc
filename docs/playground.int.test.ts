import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { source } from "axe-core";
import type { FrameLocator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

import { pageTemplate } from "../packages/inspector/page-build/page-template.mjs";
import { describeWithBrowser } from "../packages/inspector/test-support/describe-with-browser.ts";
import { SAMPLES } from "./playground/samples.ts";

const PAGE = `<!doctype html><html lang="en"><title>Playground</title><link rel="stylesheet" href="/page.css"><main class="playground"></main><script type="module" src="/playground.js"></script></html>`;

/** Builds the playground alone: the site around it takes a minute. */
async function bundle(): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const { build } = await import("vite");
  const template = `export const pageTemplate = () => ${JSON.stringify(pageTemplate())};`;
  const built = await build({
    root: join(import.meta.dirname, "playground"),
    configFile: false,
    logLevel: "error",
    resolve: { conditions: ["@agent-history/source", "module", "browser", "production"] },
    plugins: [
      {
        name: "page-template",
        enforce: "pre",
        resolveId: (id) => (id === "#page-template" ? id : undefined),
        load: (id) => (id === "#page-template" ? template : undefined),
      },
    ],
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      write: false,
      rolldownOptions: {
        input: join(import.meta.dirname, "playground/playground.tsx"),
        preserveEntrySignatures: "strict",
        output: { entryFileNames: "page.js", assetFileNames: "page.css" },
      },
    },
  });
  if (!("output" in built)) throw new Error("Expected one output.");
  const files = built.output.map(
    (file) => [`/${file.fileName}`, file.type === "chunk" ? file.code : file.source] as const,
  );
  const start = `import { drawPlayground } from "./page.js"; drawPlayground(document.querySelector("main"));`;
  return new Map([...files, ["/playground.js", start], ["/", PAGE]]);
}

/** A busy machine takes seconds for what a reader sees at once. */
const PATIENT = { timeout: 30_000 };
const requests: string[] = [];
const server = createServer();
let address = "";

beforeAll(async () => {
  const files = await bundle();
  server.on("request", ({ url = "/" }, response) => {
    requests.push(url);
    const type = url.endsWith(".js") ? "text/javascript" : url === "/" ? "text/html" : "text/css";
    response.writeHead(files.has(url) ? 200 : 404, { "content-type": type }).end(files.get(url));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => server.close());

await describeWithBrowser("the playground", (browser) => {
  const withPage = async (use: (page: Page, complaints: readonly string[]) => Promise<void>) => {
    const context = await browser().newContext();
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("pageerror", ({ message }) => complaints.push(message));
    page.on("dialog", (dialog) => void dialog.dismiss().then(() => complaints.push("a dialog")));
    await page.goto(address);
    await use(page, complaints);
    await context.close();
  };

  it("shows each sample without a violation of axe-core, by keyboard", () =>
    withPage(async (page, complaints) => {
      for (const name of Object.keys(SAMPLES)) {
        await page.focus(`button:text-is("${name}")`);
        await page.keyboard.press("Enter");
        await page.waitForSelector(".headline");
        await inspector(page).locator("#view .details h2").waitFor();
        expect([name, await violations(page)]).toEqual([name, []]);
      }
      await inspector(page).locator("text=Roles").click();
      await inspector(page).locator(".role .entry").first().click();
      expect(complaints).toEqual([]);
    }));

  it("asks the network for nothing after it was loaded, and shows hostile texts as text", () =>
    withPage(async (page, complaints) => {
      await page.click("text=A bricked session");
      await page.waitForSelector(".headline");
      requests.length = 0;
      const hostile = `</textarea><script>alert(1)</script><img src=/stolen onerror="alert(2)"> \u202Etxt.exe`;
      await page.fill("textarea", JSON.stringify([{ role: "user", content: hostile }]));
      await expect
        .poll(() => inspector(page).locator(".details pre").innerText(), PATIENT)
        .toBe(hostile);
      expect(await page.locator(".playground :is(img, script)").count()).toBe(0);
      expect([...requests, ...complaints]).toEqual([]);
    }));

  it("fits 10,000 messages, and shows them", () =>
    withPage(async (page, complaints) => {
      const messages = Array.from({ length: 10_000 }, (_, nth) => ({
        role: nth % 2 === 0 ? "user" : "assistant",
        content: `Message ${nth}: ${"word ".repeat(30)}`,
      }));
      await page.fill("textarea", JSON.stringify(messages));
      await page.waitForSelector(".headline", { timeout: 120_000 });
      await inspector(page).locator("text=10,000 entries").waitFor({ timeout: 60_000 });
      expect(complaints).toEqual([]);
    }));

  it("opens what a link holds", () =>
    withPage(async (page) => {
      await page.fill("textarea", `[{"role":"user","content":"Shared."}]`);
      await page.click("text=Copy a link to this");
      await page.waitForFunction(() => location.hash.length > 1);
      await page.reload();
      await expect
        .poll(() => inspector(page).locator(".details pre").innerText(), PATIENT)
        .toBe("Shared.");
    }));

  it("says what is wrong with what cannot be read", () =>
    withPage(async (page) => {
      await page.fill("textarea", "no JSON");
      await expect.poll(() => page.innerText(".problem"), PATIENT).toContain("not valid JSON");
    }));
});

function inspector(page: Page): FrameLocator {
  return page.frameLocator("iframe");
}

async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(source);
  const found: { readonly violations: readonly { readonly id: string }[] } =
    await page.evaluate("axe.run('main')");
  return found.violations.map(({ id }) => id);
}
