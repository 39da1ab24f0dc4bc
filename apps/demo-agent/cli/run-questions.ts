import type { DocumentFolder } from "@agent-history/offline-model";

import type { ExpansionRecord } from "../src/history/expand-summaries.ts";
import type { AgentAnswer } from "../src/team/answer-question.ts";
import type { AskedQuestion } from "../src/team/conversation.ts";
import type { AgentTeam } from "../src/team/create-agent-team.ts";
import type { CliOptions } from "./parse-arguments.ts";
import type { Reporter } from "./reporter.ts";
import { BUILT_IN_QUESTIONS, sessionQuestions } from "./session-questions.ts";

/** What questions are asked with. */
export interface QuestionParts {
  readonly folder: DocumentFolder;
  readonly reporter: Reporter;
  /** What the user writes, line by line. */
  readonly lines: () => AsyncIterable<string>;
}

/** What came of the questions of a command. */
export interface QuestionsDone {
  /** The proof that a session ends with. */
  readonly expansion?: ExpansionRecord;
  /** How many workers could not continue. */
  readonly failures: number;
}

/** Asks what is to be asked: what was left open, the question or the session, what the user writes. */
export async function runQuestions(
  team: AgentTeam,
  options: CliOptions,
  parts: QuestionParts,
): Promise<QuestionsDone> {
  let failures = 0;
  const answer = (given: AgentAnswer): void => {
    failures += given.failures.length;
    parts.reporter.answer(given);
  };
  const reporter = { ...parts.reporter, answer };
  const expansion = await askAll(team, options, { ...parts, reporter });
  return { failures, ...(expansion && { expansion }) };
}

async function askAll(
  team: AgentTeam,
  options: CliOptions,
  { folder, reporter, lines }: QuestionParts,
): Promise<ExpansionRecord | undefined> {
  const asked = options.resume ? await resumeOpen(team, reporter) : [];
  const { question, chat } = options;
  if (question !== undefined && !isOpenQuestion(asked, question)) {
    reporter.answer(await team.ask(question));
  }
  if (chat) await runChat(team, { reporter, lines });
  if (chat || question !== undefined) return undefined;
  const session =
    options.dir === undefined ? BUILT_IN_QUESTIONS : sessionQuestions(folder.documents);
  for (const next of session.slice(countAsked(session, asked))) {
    reporter.answer(await team.ask(next));
  }
  const expansion = await team.expand();
  if (expansion.summaries === 0) return undefined;
  reporter.expansion(expansion);
  return expansion;
}

/** Continues each turn that was broken off, and gives all that was asked until then. */
async function resumeOpen(team: AgentTeam, reporter: Reporter): Promise<readonly AskedQuestion[]> {
  const asked = await team.questions();
  for (const { turnId, question, isAnswered } of asked) {
    if (isAnswered) continue;
    reporter.resume(question);
    reporter.answer(await team.resume(turnId));
  }
  return asked;
}

/** The same command with `--resume` added asks nothing twice. */
function isOpenQuestion(asked: readonly AskedQuestion[], question: string): boolean {
  const last = asked.at(-1);
  return last !== undefined && !last.isAnswered && last.question === question;
}

/** How many questions of a session stand at the end of the thread already. */
function countAsked(session: readonly string[], asked: readonly AskedQuestion[]): number {
  const questions = asked.map(({ question }) => question);
  const counts = session.map((_, index) => session.length - index);
  const count = counts.find((length) =>
    session.slice(0, length).every((each, index) => each === questions.at(index - length)),
  );
  return count ?? 0;
}

async function runChat(
  team: AgentTeam,
  { reporter, lines }: Pick<QuestionParts, "reporter" | "lines">,
): Promise<void> {
  for await (const line of lines()) {
    if (line.trim() === "") return;
    reporter.answer(await team.ask(line));
  }
}
