import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { resumeClaude, resumeCodex } from "../test-support/resumable.ts";
import { claudeSession, codexSession, sessionBreaks } from "../test-support/sessions.ts";
import { repairSession } from "./repair-session.ts";

const TOOLS = [
  { format: "claude-code", session: claudeSession, resume: resumeClaude },
  { format: "codex", session: codexSession, resume: resumeCodex },
] as const;

describe.each(TOOLS)("repairSession of $format", ({ format, session, resume }) => {
  it("returns a sound session as the same array", () => {
    fc.assert(
      fc.property(session, (lines) => {
        expect(resume(lines).faults).toEqual([]);
        expect(repairSession(lines, format)).toEqual({ lines, changes: [] });
        expect(repairSession(lines, format)?.lines).toBe(lines);
      }),
    );
  });

  it("writes a broken session so that its tool goes on with it, and loses no words", () => {
    fc.assert(
      fc.property(session, sessionBreaks(format), (lines, breakLines) => {
        const broken = breakLines(lines);
        const before = resume(broken);
        const { lines: repaired, changes } = repairSession(broken, format) ?? {
          lines: [],
          changes: [],
        };
        const after = resume(repaired);
        expect(after.faults).toEqual([]);
        expect(before.faults.length > 0).toBe(changes.length > 0);
        const words = new Set(after.words.map(withoutHalves));
        expect(
          before.words.map(withoutHalves).filter((one) => one !== "" && !words.has(one)),
        ).toEqual([]);
        const again = repairSession(repaired, format);
        expect(again?.changes).toEqual([]);
      }),
    );
  });

  it("leaves every line byte for byte that it does not name", () => {
    fc.assert(
      fc.property(session, sessionBreaks(format), (lines, breakLines) => {
        const broken = breakLines(lines);
        const { lines: repaired, changes } = repairSession(broken, format) ?? {
          lines: [],
          changes: [],
        };
        const named = new Set(changes.map(({ line }) => line));
        const kept = new Set(repaired);
        const gone = broken.filter(
          (line, index) => !named.has(index + 1) && line.trim() !== "" && !kept.has(line),
        );
        expect(gone).toEqual([]);
      }),
    );
  });
});

function withoutHalves(text: string): string {
  return text.toWellFormed();
}

describe("repairSession", () => {
  it("repairs no session of a tool that does not resume one", () => {
    expect(repairSession(["{}"], "copilot")).toBeUndefined();
  });

  it("goes on where a line in the middle was lost", () => {
    const line = (uuid: string, parentUuid: string | null, content: string): string =>
      JSON.stringify({ type: "user", uuid, parentUuid, message: { role: "user", content } });
    const lines = [line("a", null, "To Rome."), line("c", "b", "And back.")];
    const repaired = repairSession(lines, "claude-code");
    expect(repaired?.changes).toEqual([{ line: 2, what: "linked" }]);
    expect(repaired?.lines[1]).toBe(line("c", "a", "And back."));
  });
});
