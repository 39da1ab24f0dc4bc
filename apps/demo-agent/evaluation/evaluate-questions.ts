import { memoryStore } from "@agent-history/core/memory-store";
import { offlineModel, readEvidence, searchIndex } from "@agent-history/offline-model";
import type { DocumentFolder, Evidence, SearchIndex } from "@agent-history/offline-model";

import { createAgentTeam } from "../src/team/create-agent-team.ts";
import type { DocumentationQuestion } from "./documentation-question.ts";
import { sharedWords } from "./shared-words.ts";

/** What became of a question. */
export interface EvaluatedQuestion {
  readonly question: string;
  /** Which share of its content words stands in the lines that answer it. */
  readonly shared: number;
  /** Which citation of the team's answer is of these lines, from 1; nothing where none is. */
  readonly rank: number | undefined;
  /** The same for one search with the words of the question, without a team. */
  readonly searchRank: number | undefined;
  /** Each citation of the answer, `path:first-last`. */
  readonly cited: readonly string[];
}

/** Lines of a document. */
interface LineRange {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
}

/** How far down a list of passages is looked. */
const MAX_PASSAGES = 50;

/** Asks a team each question in a thread of its own, and looks whether the answer cites the lines that answer it. */
export async function evaluateQuestions(
  questions: readonly DocumentationQuestion[],
  folder: DocumentFolder,
): Promise<readonly EvaluatedQuestion[]> {
  const index = searchIndex(folder.documents);
  const evaluated: EvaluatedQuestion[] = [];
  for (const question of questions) evaluated.push(await evaluate(question, folder, index));
  return evaluated;
}

/** Asks a team a question in a thread of its own, and gives what the answer cites; nothing where it says that there is none. */
export async function citedFor(
  question: string,
  folder: DocumentFolder,
): Promise<readonly Evidence[]> {
  const team = await createAgentTeam({
    model: offlineModel(),
    folder,
    store: memoryStore(),
    threadId: "evaluation",
  });
  return readEvidence((await team.ask(question)).text);
}

async function evaluate(
  asked: DocumentationQuestion,
  folder: DocumentFolder,
  index: SearchIndex,
): Promise<EvaluatedQuestion> {
  const { question } = asked;
  const cited = await citedFor(question, folder);
  const found = index.search(question, { maxPassages: MAX_PASSAGES });
  return {
    question,
    shared: sharedWords(question, answerOf(asked, folder)),
    rank: rankOf(asked, cited),
    searchRank: rankOf(
      asked,
      found.map(({ document: { path }, startLine, endLine }) => ({ path, startLine, endLine })),
    ),
    cited: cited.map(({ path, startLine, endLine }) => `${path}:${startLine}-${endLine}`),
  };
}

/** The lines that answer a question; empty where there are none. */
function answerOf({ path, lines }: DocumentationQuestion, { documents }: DocumentFolder): string {
  const document = documents.find((each) => each.path === path);
  return (document?.lines ?? []).slice(lines[0] - 1, lines[1]).join("\n");
}

function rankOf(
  { path, lines }: DocumentationQuestion,
  ranges: readonly LineRange[],
): number | undefined {
  const index = ranges.findIndex(
    (range) => range.path === path && range.startLine <= lines[1] && range.endLine >= lines[0],
  );
  return index < 0 ? undefined : index + 1;
}
