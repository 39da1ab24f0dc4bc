import { expect, it } from "vitest";

import { fillPage, partText } from "./report.ts";

const page =
  "Text.\n\n<!-- bench fit -->\nstale\n<!-- /bench -->\n\n<!-- bench sizes -->\nkept\n<!-- /bench -->\n";

it("puts a part between its marks, and leaves the rest of the page", () => {
  const filled = fillPage(page, "fit", "new");

  expect(filled).toBe(page.replace("stale\n", "\nnew\n\n"));
  expect(fillPage(page, "unknown", "new")).toBe(page);
});

it("writes a part as tables, with the command that repeats it", () => {
  const table = { title: "Fit", note: "What was measured.", head: ["system"], rows: [["a | b"]] };
  const run = { command: "npx -y pnpm@12 bench --only fit", minutes: 1, load: [0, 1] } as const;

  const text = partText([table], run);

  expect(text).toMatch(/^\| system \|\n\| --- \|\n\| a \\\| b \|\n\nWhat was measured\./);
  expect(text).toMatch(/`npx -y pnpm@12 bench --only fit`, 20.*, 1\.0 minutes, load 0\.0 to 1\.0;/);
});
