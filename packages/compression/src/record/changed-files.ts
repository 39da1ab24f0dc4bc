import type { SummaryPart } from "@agent-history/core";

import { addedDefinitions, editedFiles } from "./calls.ts";
import { isLook, withoutOpening, worthOf } from "./markers.ts";
import type { Reading } from "./reading.ts";
import type { Call } from "./steps.ts";
import { clip, sentencesOf } from "./text.ts";

interface Mention {
  readonly sentence: string;
  readonly at: number;
}

/** The files that calls changed, each with one clause of what was changed: the agent's words, else the code. */
export function changedFiles(
  reading: Reading,
  doingAt: (at: number) => string,
): readonly SummaryPart[] {
  const edits = new Map<string, Call[]>();
  for (const call of reading.calls) {
    if (call.outcome === "failed" || call.outcome === "rejected") continue;
    for (const file of editedFiles(call))
      edits.set(file, [...(edits.get(file) ?? []).slice(-40), call]);
  }
  if (edits.size === 0) return [];
  const mentions = mentionsOf(reading, new Set([...edits.keys()].flatMap(namesOfFile)));
  const files = [...edits].flatMap(([file, calls]): readonly SummaryPart[] => {
    const last = calls.at(-1);
    if (last === undefined) return [];
    const text = changeOf(file, calls, reading, mentions, doingAt);
    const isUnknown = last.outcome === "unknown";
    return [
      {
        kind: "file",
        key: file,
        text,
        at: last.at,
        note: String(calls.length),
        ...(isUnknown && { state: "unknown" }),
      },
    ];
  });
  return files.toSorted((one, other) => one.at - other.at);
}

function changeOf(
  file: string,
  calls: readonly Call[],
  { saidBefore }: Reading,
  mentions: ReadonlyMap<string, readonly Mention[]>,
  doingAt: (at: number) => string,
): string {
  const [from, until] = [calls[0]?.at ?? 0, calls.at(-1)?.at ?? 0];
  const later = namesOfFile(file)
    .flatMap((name) => mentions.get(name) ?? [])
    .filter(({ at }) => at >= from)
    .map(({ sentence, at }) => ({
      sentence,
      at,
      weight: worthOf(sentence) + (at >= until - 6 ? 2.5 : 0),
    }))
    .toSorted((one, other) => other.weight - one.weight || other.at - one.at)[0]?.sentence;
  const near = calls
    .toReversed()
    .slice(0, 10)
    .flatMap((call) => {
      const before = saidBefore(call.at);
      const text =
        call.text !== ""
          ? call.text
          : before !== undefined && before.at > call.at - 4
            ? before.text
            : "";
      const best = sentencesOf(text)
        .filter((one) => !isLook(one))
        .toSorted((one, other) => worthOf(other) - worthOf(one))[0];
      return best === undefined ? [] : [best];
    });
  const words = [
    ...new Set(
      [near[0], later, near[1]].flatMap((one) =>
        one !== undefined && worthOf(one) > -1 ? [withoutOpening(clip(one, 170))] : [],
      ),
    ),
  ].slice(0, 2);
  const code = calls.toReversed().map(addedDefinitions).find(Boolean) ?? "";
  let text = words.join(" / ");
  if (text.length < 60 && code !== "") text = text === "" ? code : `${text}; ${code}`;
  if (text.length < 60) {
    const doing = doingAt(until);
    if (doing !== "") text += ` (for "${clip(doing, 90)}")`;
  }
  return text.trim();
}

/** The sentences of agents in which the names of files stand. */
function mentionsOf(
  { said }: Reading,
  names: ReadonlySet<string>,
): ReadonlyMap<string, readonly Mention[]> {
  const mentions = new Map<string, Mention[]>();
  const sentences = said.flatMap(({ at, text }) =>
    sentencesOf(text)
      .filter((sentence) => sentence.length < 400 && !isLook(sentence))
      .map((sentence) => ({ sentence, at })),
  );
  for (const mention of sentences) {
    for (const word of new Set(mention.sentence.match(/[\w-]+(?:\.[\w-]+)*/g))) {
      if (names.has(word)) mentions.set(word, [...(mentions.get(word) ?? []).slice(-200), mention]);
    }
  }
  return mentions;
}

/** The name of a file and, where it can be told from other words, its stem. */
function namesOfFile(file: string): readonly string[] {
  const name = file.split("/").at(-1) ?? file;
  const stem = name.replace(/\.\w+$/, "");
  return stem.length > 5 && stem !== name ? [name, stem] : [name];
}
