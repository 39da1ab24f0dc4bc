import { openFolder } from "@agent-history/offline-model";

import { documentationFolder, readQuestions } from "./documentation-question.ts";
import { evaluateQuestions } from "./evaluate-questions.ts";

/** The sets of questions, and whose documentation each is about. */
const SETS = [
  { file: "questions.json", packageName: "ai" },
  { file: "development-ai.json", packageName: "ai" },
  { file: "development-turbo.json", packageName: "turbo" },
];

/** Prints what the team finds of each set whose file's name contains the word given. */
const [word = ""] = process.argv.slice(2);
for (const { file, packageName } of SETS.filter((each) => each.file.includes(word))) {
  const folder = await openFolder(documentationFolder(packageName));
  const evaluated = await evaluateQuestions(await readQuestions(file), folder);
  const found = evaluated.filter(({ rank }) => rank !== undefined).length;
  console.log(`${file}: ${found} of ${evaluated.length} found`);
  for (const { question, shared, rank, searchRank, cited } of evaluated) {
    const share = `${Math.round(shared * 100)}%`;
    console.log(`  ${rank ?? "-"}\t${searchRank ?? "-"}\t${share}\t${question}`);
    if (rank === undefined) console.log(`\t\t\t  ${cited.join(", ") || "nothing"}`);
  }
}
