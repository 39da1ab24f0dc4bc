import { describe, expect, it } from "vitest";

import { headDate } from "./head-date.ts";

const day = Date.UTC(2023, 4, 8);

describe("headDate", () => {
  for (const text of [
    "[1:56 pm on 8 May, 2023] Ann: Hello",
    "(8 May 2023) Hello",
    "[2023-05-08T13:56:00Z] Ann: Hello",
    "Session 3 — Monday, 8 May 2023",
    "DATE: 1:56 pm on 8 May, 2023\nCONVERSATION:",
    "Today is May 8, 2023.",
    "2023年5月8日\nこんにちは",
  ]) {
    it(`reads the day of ${JSON.stringify(text)}`, () => {
      expect(headDate(text)).toBe(day);
    });
  }

  for (const text of [
    "On 8 May 2023 I was born",
    "[May 2023] Ann: Hello",
    "[version of 8 May 2023] notes",
    "Ann: [8 May 2023] Hello",
    "Hello\n8 May 2023",
    "",
  ]) {
    it(`does not take ${JSON.stringify(text)} for one`, () => {
      expect(headDate(text)).toBeUndefined();
    });
  }
});
