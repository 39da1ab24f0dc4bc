import type { SummaryPart } from "@agent-history/core";

import { editedFiles } from "./calls.ts";
import { isLook, withoutOpening, worthOf } from "./markers.ts";
import type { Reading } from "./reading.ts";
import type { Call } from "./steps.ts";
import { clip, sentencesOf } from "./text.ts";

/** The files that calls changed, each with what the agent said at its last edits. */
export function changedFiles({ calls, saidBefore }: Reading): readonly SummaryPart[] {
  const edits = new Map<string, Call[]>();
  for (const call of calls) {
    if (call.outcome === "failed" || call.outcome === "rejected") continue;
    for (const file of editedFiles(call)) {
      const own = edits.get(file);
      if (own === undefined) edits.set(file, [call]);
      else own.push(call);
    }
  }
  const files = [...edits].map(([file, all]): SummaryPart => {
    const said = all
      .slice(-10)
      .toReversed()
      .flatMap((call) => bestSentence(wordsWith(call)) ?? []);
    const clauses = [...new Set(said)].slice(0, 2).map((one) => withoutOpening(clip(one, 170)));
    const last = all.at(-1);
    return {
      kind: "file",
      key: file,
      text: clauses.join(" / "),
      at: last?.at ?? 0,
      note: String(all.length),
      ...(last?.outcome === "unknown" && { state: "unknown" }),
    };
  });
  return files.toSorted((one, other) => one.at - other.at);

  /** What the agent said with a call or right before it. */
  function wordsWith({ text, at }: Call): string {
    const before = saidBefore(at);
    return text === "" && before !== undefined && before.at > at - 4 ? before.text : text;
  }
}

function bestSentence(text: string): string | undefined {
  return sentencesOf(text)
    .filter((one) => !isLook(one) && worthOf(one) > -1)
    .toSorted((one, other) => worthOf(other) - worthOf(one))[0];
}
