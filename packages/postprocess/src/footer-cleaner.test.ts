import { describe, expect, it } from "vitest";

import { removeFromText } from "./remove-from-text.ts";
import { footerCleaner } from "./text-cleaners.ts";

async function clean(text: string): Promise<string> {
  return (await removeFromText(text, { cleaners: [footerCleaner({ begins: "-- sent by" })] })).text;
}

describe("footerCleaner", () => {
  it("cuts from where the footer begins to the end, with the white space before it", async () => {
    expect(await clean("Yes.\n\n-- sent by Ada,\n3 May\n")).toBe("Yes.");
  });

  it("cuts from the last beginning only", async () => {
    expect(await clean("It says -- sent by Bob\n-- sent by Ada")).toBe("It says -- sent by Bob");
  });

  it("leaves a text without footer", async () => {
    expect(await clean("Yes. -- sent")).toBe("Yes. -- sent");
  });

  it("refuses an empty beginning", async () => {
    expect(() => footerCleaner({ begins: "" })).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION" }),
    );
  });
});
