import { describe, expect, it } from "vitest";

import { asksForRemedy, isRemedyHeading } from "./remedy.ts";

describe("asksForRemedy", () => {
  it.each([
    "How do I keep rats out of the compost?",
    "The valve leaks; what can I do?",
    "Which seal stops it?",
    "How can I avoid mould?",
  ])("takes %j for a question of what to do", (question) => {
    expect(asksForRemedy(question)).toBe(true);
  });

  it.each(["When is a tomato ripe?", "How does the valve open?", "Why does the valve leak?", ""])(
    "takes %j for one of what there is",
    (question) => {
      expect(asksForRemedy(question)).toBe(false);
    },
  );
});

describe("isRemedyHeading", () => {
  it("knows what leads to advice", () => {
    expect(isRemedyHeading("Leaks › Solution")).toBe(true);
    expect(isRemedyHeading("A workaround for frost")).toBe(true);
    expect(isRemedyHeading("Leaks › Issue")).toBe(false);
    expect(isRemedyHeading("Prefixes")).toBe(false);
    expect(isRemedyHeading("")).toBe(false);
  });
});
