import { describe, expect, it } from "vitest";

import { removeFromText } from "./remove-from-text.ts";
import { detailsCleaner } from "./text-cleaners.ts";

describe("detailsCleaner", () => {
  it("cuts folded blocks", async () => {
    const shown = "42.\n\n<details open>\n<summary>Code</summary>\n6 * 7\n</details>";

    expect((await removeFromText(shown, { cleaners: [detailsCleaner()] })).text).toBe("42.");
  });

  it.each([
    ["in a quotation", "See:\n\n> ```html\n> <details>no</details>\n> ```\n"],
    ["in a quotation of a quotation", "> > ~~~\n> > <details>no</details>\n> > ~~~"],
    ["in an item of a list", "- Fold:\n\n    ```html\n    <details>no</details>\n    ```"],
    ["behind the marker of a list", "1. ```\n   <details>no</details>\n   ```"],
    ["in a quotation whose lines end as on Windows", "> ```\r\n> <details>no</details>\r\n> ```"],
  ])("leaves a block alone that stands %s", async (_where, shown) => {
    expect((await removeFromText(shown, { cleaners: [detailsCleaner()] })).text).toBe(shown);
  });

  it.each([
    ["behind a paragraph", "42.\n    <details>6 * 7</details>", "42."],
    ["in a paragraph of a list item", "- 42.\n\n    <details>6 * 7</details>", "- 42."],
    ["behind a paragraph of Windows", "42.\r\n    <details>6 * 7</details>", "42."],
    ["in an item of an inner list", "- a\n  - b\n\n    <details>6 * 7</details>", "- a\n  - b"],
    ["behind an item of a list", "- 42.\n\n  <details>6 * 7</details>", "- 42."],
    ["behind code", "    code\n\n<details>6 * 7</details>", "    code"],
    [
      "behind a fence of a quotation",
      "> ```\n> a\n> ```\n<details>no</details>",
      "> ```\n> a\n> ```",
    ],
    ["behind an open fence", "```\n42.<details>6 * 7</details>", "```\n42."],
  ])("cuts a block that stands %s", async (_where, shown, left) => {
    expect((await removeFromText(shown, { cleaners: [detailsCleaner()] })).text).toBe(left);
  });
});
