import { describe, expect, it } from "vitest";

import { countSoundTurns } from "./count-sound-turns.ts";
import { ours, theirs } from "./ways.ts";

const TURNS = 30;

describe("countSoundTurns", () => {
  it.each(
    Object.entries(ours).flatMap(([name, way]) => [
      { name, way, resultFactor: 1, results: "that fit" },
      { name, way, resultFactor: 3, results: "longer than the window" },
    ]),
  )("finds 30 of 30 turns sound with $name and results $results", async ({ way, resultFactor }) => {
    const counted = await countSoundTurns(way, { turns: TURNS, resultFactor });

    expect(counted).toEqual({ sound: TURNS, turns: TURNS, reasons: {} });
  });

  // The judge can fail: the same conversation outgrows the window.
  it("finds fewer sound where nothing makes room", async () => {
    const { sound, reasons } = await countSoundTurns(theirs["no middleware"] ?? (() => []), {
      turns: TURNS,
      resultFactor: 1,
    });

    expect(sound).toBeLessThan(TURNS);
    expect(reasons["context-window"]).toBe(TURNS - sound);
  });
});
