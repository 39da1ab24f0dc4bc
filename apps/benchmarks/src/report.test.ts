import { expect, it } from "vitest";

import type { PartResult } from "./report.ts";
import { fillPage } from "./report.ts";

it("puts each part's tables between its marks, and leaves the rest of the page", () => {
  const page =
    "Text.\n\n<!-- bench fit -->\nstale\n<!-- /bench -->\n\n<!-- bench cold -->\nkept\n<!-- /bench -->\n";

  const filled = fillPage(page, { fit: result });

  expect(filled).toContain("Text.\n\n<!-- bench fit -->\n\n| system |");
  expect(filled).toContain("| a \\| b |");
  expect(filled).toContain("bench --only fit`, 2026-01-01");
  expect(filled).not.toContain("stale");
  expect(filled).toContain("<!-- bench cold -->\nkept\n<!-- /bench -->");
});

const result: PartResult = {
  date: "2026-01-01",
  machine: "2 × CPU",
  load: [0, 1],
  minutes: 1,
  command: "npx -y pnpm@12 bench --only fit",
  versions: {},
  tables: [{ title: "Fit", note: "What was measured.", head: ["system"], rows: [["a | b"]] }],
};
