import { describe, expect, it } from "vitest";

import { itemPage } from "../test-items/item-page.ts";
import { fromItems } from "./from-items.ts";
import { itemLog } from "./item-log.ts";
import { toItems } from "./to-items.ts";

const now = (): number => 0;

describe("itemLog", () => {
  it("gives the entries of all items, however they are appended", () => {
    for (const size of [1, 2, 3, itemPage.length]) {
      const log = itemLog({ now });
      for (let from = 0; from < itemPage.length; from += size) {
        log.append(itemPage.slice(from, from + size));

        const all = structuredClone(itemPage.slice(0, from + size));
        expect(log.entries).toEqual(fromItems(all, { now }));
      }
    }
  });

  it("keeps the entries before, whose items come back as the same objects", () => {
    const log = itemLog();
    log.append(itemPage);
    log.append([{ role: "user", content: "And now?" }]);
    const before = [...log.entries];
    log.append([{ role: "user", content: "And then?" }]);

    for (const [index, entry] of before.entries()) expect(log.entries[index]).toBe(entry);
    const items = toItems(log.entries);
    for (const [index, item] of itemPage.entries()) expect(items[index]).toBe(item);
  });
});
