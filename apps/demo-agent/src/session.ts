/** The questions of a session: each but the first is suggested by the answer before it. */
const FIRST_QUESTION = "Which licences do the installed packages have?";

const SUGGESTIONS: readonly ((answer: string) => string)[] = [
  () => "Which of them are not permissive?",
  // Of the first package that the answer, else the one before, names a licence of.
  (answer) => {
    const [name] = /(?<=^(?!none).*)\S+@\d[^\s,]*/m.exec(answer) ?? [];
    return name === undefined ? "" : `Quote the first line of the licence of ${name}.`;
  },
];

/** Answers a question, and adds what may be asked next. */
export type Answerer = (question: SessionQuestion) => Promise<string>;

export interface SessionQuestion {
  readonly turnId: string;
  readonly content: string;
  readonly suggest: (answer: string) => string;
}

export interface Answer {
  readonly question: string;
  readonly text: string;
}

/** Asks all questions of a session; `onAnswer` is called after each. */
export async function runSession(
  answer: Answerer,
  onAnswer: (answer: Answer) => void | Promise<void>,
): Promise<void> {
  let [content, before] = [FIRST_QUESTION, ""];
  for (let turn = 1; content !== ""; turn++) {
    const suggest = (text: string): string => SUGGESTIONS[turn - 1]?.(`${text}\n${before}`) ?? "";
    const text = await answer({ turnId: `turn-${turn}`, content, suggest });
    await onAnswer({ question: content, text });
    [content, before] = [suggest(text), text];
  }
}
