import { worthOf } from "./markers.ts";
import { clip, sentencesOf } from "./text.ts";

/** A message in fewer characters: its first and last sentence, then its best ones, in their order. */
export function condense(text: string, most: number): string {
  const all = sentencesOf(text);
  const whole = all.join(" ");
  if (all.length === 0) return clip(text, most);
  if (whole.length <= most) return whole;
  const longest = Math.max(70, most * 0.6);
  const ranked = all
    .map((sentence, index) => {
      const isFirst = index === 0;
      const place =
        (isFirst ? (sentence.length < 45 ? 1 : 2.5) : 0) + (index === all.length - 1 ? 2.5 : 0);
      return {
        index,
        sentence: clip(sentence, longest),
        weight: worthOf(sentence) + place + (/^\d+[.)]/.test(sentence) ? 0.7 : 0),
      };
    })
    .toSorted((one, other) => other.weight - one.weight || one.index - other.index);
  let room = most;
  const kept = ranked.filter(({ sentence }) => {
    if (sentence.length + 1 > room) return false;
    room -= sentence.length + 1;
    return true;
  });
  if (kept.length === 0) return clip(all[0] ?? text, most);
  const inOrder = kept.toSorted((one, other) => one.index - other.index);
  return inOrder
    .map(({ index, sentence }, place) => {
      const before = inOrder[place - 1]?.index ?? index - 1;
      return index > before + 1 ? `… ${sentence}` : sentence;
    })
    .join(" ");
}
