import { describe, expect, it } from "vitest";

import { footerCleaner } from "./footer-cleaner.ts";
import { removeFromText } from "./remove-from-text.ts";

function clean(text: string): string {
  return removeFromText(text, { cleaners: [footerCleaner({ begins: "-- sent by" })] }).text;
}

describe("footerCleaner", () => {
  it("cuts from where the footer begins to the end, with the white space before it", () => {
    expect(clean("Yes.\n\n-- sent by Ada,\n3 May\n")).toBe("Yes.");
  });

  it("cuts from the last beginning only", () => {
    expect(clean("It says -- sent by Bob\n-- sent by Ada")).toBe("It says -- sent by Bob");
  });

  it("leaves a text without footer", () => {
    expect(clean("Yes. -- sent")).toBe("Yes. -- sent");
  });

  it("refuses an empty beginning", () => {
    expect(() => footerCleaner({ begins: "" })).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION" }),
    );
  });
});
