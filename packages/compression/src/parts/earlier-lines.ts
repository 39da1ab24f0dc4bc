import { splitSentences } from "../facts/internal/split-sentences.ts";
import { wordsOfText } from "../facts/internal/words-of-text.ts";
import { quoteData } from "../gate/internal/quote-data.ts";
import type { SummaryItem, SummaryLine, SummaryPart } from "./summary-line.ts";

/** A line of an earlier summary that was made of parts: it is taken apart again as it was put together. */
const HEADS: readonly {
  readonly head: RegExp;
  readonly part: SummaryPart;
  readonly joint: string;
  readonly end: string;
}[] = [
  { head: /^User: /, part: "user", joint: "\n", end: "" },
  { head: /^Commands run: /, part: "commands", joint: "; ", end: "." },
  { head: /^Commits and links: /, part: "made", joint: " ", end: "" },
  { head: /^Files changed(?: \(below [^()]{1,300}\))?: /, part: "changed", joint: " ", end: "" },
  { head: /^Files read(?: \(below [^()]{1,300}\))?: /, part: "read", joint: " ", end: "" },
  { head: /^Files mentioned: /, part: "mentioned", joint: " ", end: "" },
  { head: /^Other files: /, part: "others", joint: " ", end: "" },
  { head: /^Names(?: in [^:]{1,300})?: /, part: "names", joint: " ", end: "" },
  { head: /^The [^:]{1,200}? has /, part: "records", joint: ", ", end: "." },
  { head: /^Failed: /, part: "failures", joint: "\n", end: "" },
];

/** The lines of an earlier summary: those of its parts as they are, of all else its sentences. */
export function earlierLines(previous: string): readonly SummaryLine[] {
  const all = previous.split("\n");
  return all.flatMap((text, index): readonly SummaryLine[] => {
    const entryIndex = index - all.length;
    const known = HEADS.find(({ head }) => head.test(text));
    if (known !== undefined) {
      const head = known.head.exec(text)?.[0] ?? "";
      const rest = text.slice(head.length);
      const body = known.end !== "" && rest.endsWith(known.end) ? rest.slice(0, -1) : rest;
      const items = split(body, known.joint).filter((each) => each !== "");
      return [{ ...known, head, items: items.map((each) => itemOf(each, 2, entryIndex)) }];
    }
    if (/^(?:Also|Open): /.test(text)) return [];
    const head = /^(?:Agent|Tool): /.exec(text)?.[0] ?? "";
    const items = splitSentences(text.slice(head.length))
      .filter(({ isFull }) => isFull)
      .map(({ text: sentence }) => itemOf(sentence, 1, entryIndex));
    const part = head === "Agent: " ? "agent" : head === "Tool: " ? "tools" : "earlier";
    return items.length === 0 ? [] : [{ part, head, joint: " ", end: "", items }];
  });
}

/** A list with spaces alone comes apart where no bracket is open or follows: `a.ts (new)` is one; models write commas. */
function split(body: string, joint: string): readonly string[] {
  if (joint !== " ") return body.split(joint);
  return body.includes(", ") ? body.split(", ") : body.split(/ (?!\()(?![^()]*\))/);
}

function itemOf(text: string, worth: number, index: number): SummaryItem {
  return { text: quoteData(text), says: wordsOfText(text), worth, index };
}
