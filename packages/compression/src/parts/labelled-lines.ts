/** The parts that a model is asked for, by the labels of their lines. */
export type PartLabel =
  | "User"
  | "Decided"
  | "Open"
  | "Files changed"
  | "Files read"
  | "Commands run"
  | "Failed";

/** A part in a model's answer; text without a label has none, one body a line. */
export interface LabelledLine {
  readonly label: PartLabel | undefined;
  readonly bodies: string[];
}

/** What a model is asked to begin its lines with. The names of other tools and headings mean the same. */
const LABELS: readonly { readonly label: PartLabel; readonly said: RegExp }[] = [
  { label: "User", said: /^(?:user(?:'s)?(?: (?:words|messages|requests?))?|requests?)$/ },
  { label: "Decided", said: /^(?:decided|decisions?)$/ },
  { label: "Open", said: /^(?:open(?: questions?)?|to ?do|next steps?|pending(?: tasks?)?)$/ },
  { label: "Files changed", said: /^(?:files )?(?:changed|modified|edited)(?: files)?$/ },
  { label: "Files read", said: /^(?:files )?(?:read|viewed)(?: files)?$/ },
  { label: "Commands run", said: /^commands?(?: run)?$/ },
  { label: "Failed", said: /^(?:failed|failures?|errors?)$/ },
];

const LONGEST_LABEL = 40;
const BULLET = /^(?:[-*•]|\d{1,3}[.)])\s+/;
const HEADING = /^#{1,6}\s|^\*\*[^*]{1,60}\*\*:?$/;

/** Reads the parts in a model's answer, whether it marks them by labels, headings or bold; what stands below a heading belongs to it. */
export function labelledLines(answer: string): readonly LabelledLine[] {
  const lines: LabelledLine[] = [];
  let open: LabelledLine | undefined;
  for (const raw of answer.split("\n")) {
    const text = raw.trim();
    if (text === "" || text.startsWith("```")) continue;
    const found = labelOf(text);
    if (found !== undefined) {
      open = { label: found.label, bodies: bodiesOf(found) };
      lines.push(open);
    } else if (open !== undefined && BULLET.test(text) && !HEADING.test(text)) {
      open.bodies.push(withoutMarks(text));
    } else {
      open = undefined;
      lines.push({ label: undefined, bodies: [text] });
    }
  }
  return lines;
}

/** A text without any label that it begins with. */
export function withoutLabels(text: string): string {
  let rest = text.trim();
  for (let found = labelOf(rest); found !== undefined; found = labelOf(rest)) rest = found.rest;
  return rest;
}

interface FoundLabel {
  readonly label: PartLabel;
  readonly rest: string;
}

/** `## Files changed`, `**Files changed:** a.ts`, `Files changed: a.ts`. */
function labelOf(text: string): FoundLabel | undefined {
  const plain = text.replace(/^(?:#{1,6}\s+|[-*•]\s+)/, "").replaceAll("**", "");
  const colon = plain.indexOf(":");
  const isMarked = /^#{1,6}\s|^\*\*/.test(text);
  if (colon > LONGEST_LABEL || (colon < 0 && !isMarked)) return undefined;
  const head = (colon < 0 ? plain : plain.slice(0, colon)).trim().toLowerCase();
  if (head.length > LONGEST_LABEL) return undefined;
  const known = LABELS.find(({ said }) => said.test(head));
  if (known === undefined) return undefined;
  return { label: known.label, rest: colon < 0 ? "" : plain.slice(colon + 1).trim() };
}

function bodiesOf({ label, rest }: FoundLabel): string[] {
  if (rest === "") return [];
  if (label.startsWith("Files")) return rest.split(/,\s+/);
  return label === "Commands run" ? rest.split(/;\s+/) : [withoutMarks(rest)];
}

function withoutMarks(text: string): string {
  return text.replace(BULLET, "").replaceAll("**", "");
}
