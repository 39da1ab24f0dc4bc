import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

import { assistantMessage, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import { seededRandom } from "./random.ts";

/** A long dialogue with questions about it. */
export interface Dialogue {
  readonly messages: readonly DialogueMessage[];
  readonly questions: readonly DialogueQuestion[];
}

/** Something that was said. */
export interface DialogueMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly createdAtMs: number;
}

/** What is asked about a dialogue. */
export interface DialogueQuestion {
  readonly question: string;
  readonly answer: string;
  /** Places of the messages that hold the answer. */
  readonly evidence: readonly number[];
}

/** Reads the dialogues of a folder by their source; a source that is not there is left out. */
export function readDialogues(folder: string): Readonly<Record<string, readonly Dialogue[]>> {
  const locomo = join(folder, "locomo", "locomo.jsonl");
  const lines = existsSync(locomo) ? readFileSync(locomo, "utf8").split("\n").filter(Boolean) : [];
  const beam = globSync("beam/*.json.gz", { cwd: folder }).toSorted();
  return {
    ...(lines.length > 0 && { LoCoMo: lines.map((line) => readLocomo(JSON.parse(line))) }),
    ...(beam.length > 0 && {
      BEAM: beam.map((file) =>
        readBeam(JSON.parse(gunzipSync(readFileSync(join(folder, file))).toString("utf8"))),
      ),
    }),
  };
}

interface Locomo {
  readonly turns: readonly {
    readonly id: string;
    readonly session: number;
    /** `1:56 pm on 8 May, 2023`. */
    readonly date_time: string;
    readonly speaker: string;
    readonly role: "user" | "assistant";
    readonly text: string;
    readonly caption?: string;
  }[];
  readonly qa: readonly {
    readonly question: string;
    readonly answer?: string | number;
    readonly category: number;
    readonly evidence: readonly string[];
  }[];
}

/** Each session begins with its date; category 5, which is adversarial, is left out. */
function readLocomo({ turns, qa }: Locomo): Dialogue {
  const messages = turns.map((turn, index): DialogueMessage => {
    const { session, date_time: date, speaker, role, text, caption } = turn;
    const day = turns[index - 1]?.session === session ? "" : `[${date}] `;
    const image = caption === undefined ? "" : ` [shares ${caption}]`;
    const createdAtMs = Date.parse(`${date.replace(/^.* on /, "")} UTC`);
    return { role, content: `${day}${speaker}: ${text}${image}`, createdAtMs };
  });
  const asked = qa.filter(({ category }) => category !== 5);
  const questions = asked.map(({ question, answer = "", evidence }) => {
    return { question, answer: `${answer}`, evidence: placesOf(evidence, turns) };
  });
  return { messages, questions: questions.filter(({ evidence }) => evidence.length > 0) };
}

interface Beam {
  readonly chat: readonly { readonly turns: readonly (readonly BeamMessage[])[] }[];
  readonly questions: Readonly<Record<string, readonly BeamQuestion[]>>;
}

interface BeamMessage {
  readonly id: number;
  readonly role: "user" | "assistant";
  readonly content: string;
  /** `March-15-2024`: the day of this message and of those behind it. */
  readonly time_anchor?: string | null;
}

interface BeamQuestion {
  readonly question: string;
  readonly answer?: string;
  readonly ideal_answer?: string;
  readonly ideal_response?: string;
  readonly ideal_summary?: string;
  /** A list, or lists by what they show. */
  readonly source_chat_ids?: readonly number[] | Readonly<Record<string, readonly number[]>>;
}

/** Questions that the chat does not answer are left out. */
function readBeam({ chat, questions }: Beam): Dialogue {
  const said = chat.flatMap(({ turns }) => turns.flat());
  let createdAtMs = 0;
  const messages = said.map(({ role, content, time_anchor: day }): DialogueMessage => {
    if (day) createdAtMs = Date.parse(`${day.replaceAll("-", " ")} UTC`);
    // A user's text ends in a mark of the generator.
    return { role, content: content.replace(/\s*->->[\d, ]*$/, ""), createdAtMs };
  });
  const asked = Object.values(questions)
    .flat()
    .map((one): DialogueQuestion => {
      const { question, answer, ideal_answer: ideal, source_chat_ids: ids = [] } = one;
      const best = answer ?? ideal ?? one.ideal_response ?? one.ideal_summary ?? "Yes.";
      return { question, answer: best, evidence: placesOf(Object.values(ids).flat(), said) };
    });
  return { messages, questions: asked.filter(({ evidence }) => evidence.length > 0) };
}

/** The places of what bears these ids, each once. */
function placesOf<Id>(
  ids: readonly Id[],
  messages: readonly { readonly id: Id }[],
): readonly number[] {
  const places = new Map(messages.map(({ id }, index) => [id, index]));
  return [...new Set(ids)].flatMap((id) => places.get(id) ?? []);
}

/** When questions are asked in a dialogue that grows: while it goes on, or all of them at its end. */
export type Asking = (typeof ASKINGS)[number];

/** The ways to ask. */
export const ASKINGS = ["a question after every 5 messages", "one question after another"] as const;

/** Something that is said in a dialogue as it grows. */
export interface Said {
  readonly entry: HistoryEntry;
  /** Its place among the recorded messages. */
  readonly index?: number;
  readonly asks?: DialogueQuestion;
  /** The model is called for it; not measured before the first question is due. */
  readonly call?: "measured" | "unmeasured";
}

/** Between two questions so many messages are exchanged, where the dialogue has enough of them. */
const EVERY = 5;

/** One dialogue as it grows: the model is called at each message of the user's that is answered, and at each question. */
export function growDialogue({ messages, questions }: Dialogue, asking: Asking): readonly Said[] {
  const isSpread = asking !== "one question after another";
  const random = seededRandom(questions.length);
  const open = [...questions];
  const said: Said[] = [];
  const say = (isUsers: boolean, content: string, atMs: number, more: Omit<Said, "entry">) => {
    const fields = { id: `m${said.length}`, createdAtMs: atMs, content };
    said.push({ ...more, entry: isUsers ? userMessage(fields) : assistantMessage(fields) });
  };
  const ask = (asks: DialogueQuestion, atMs: number): void => {
    say(true, asks.question, atMs, { asks, call: "measured" });
    say(false, asks.answer, atMs, {});
  };
  let since = 0;
  for (const [index, { role, content, createdAtMs }] of messages.entries()) {
    const known = open.filter(({ evidence }) => evidence.every((one) => one < index));
    const asked = known[random.below(Math.max(1, known.length))];
    if (isSpread && role === "user" && since >= EVERY && asked !== undefined) {
      open.splice(open.indexOf(asked), 1);
      ask(asked, createdAtMs);
      since = 0;
    }
    const isCalled = role === "user" && messages[index + 1]?.role === "assistant";
    const call = isCalled && ({ call: isSpread ? "measured" : "unmeasured" } as const);
    say(role === "user", content, createdAtMs, { index, ...call });
    since += 1;
  }
  if (!isSpread) for (const one of questions) ask(one, messages.at(-1)?.createdAtMs ?? 0);
  return said;
}
