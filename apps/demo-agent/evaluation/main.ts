import { openFolder } from "@agent-history/offline-model";

import { documentationFolder, readQuestions } from "./documentation-question.ts";
import { evaluateQuestions } from "./evaluate-questions.ts";
import { openSet, readSets } from "./honesty-set.ts";
import { judgeHonesty } from "./judge-honesty.ts";

/** Questions that are judged by the words of the answer, thirty in each file. */
const HONESTY = [
  "honesty",
  ...["second", "third", "fourth", "fifth", "sixth"].map((each) => `honesty-${each}`),
];

/** Questions in other words than the documentation, judged by the lines of the answer. */
const OTHER_WORDS = [
  { file: "questions.json", packageName: "ai" },
  { file: "development-ai.json", packageName: "ai" },
  { file: "development-turbo.json", packageName: "turbo" },
];

/** Prints what the team finds of each set whose file's name contains the word given. */
const [word = ""] = process.argv.slice(2);
for (const file of HONESTY.map((name) => `${name}.json`).filter((name) => name.includes(word))) {
  for (const set of await readSets(file)) {
    console.log(`${file}: ${set.name}`);
    for (const judged of await judgeHonesty(set.questions, await openSet(set))) {
      const [first] = judged.quotes;
      const location = first === undefined ? "" : `${first.path}:${first.startLine}`;
      console.log(`  ${judged.verdict.padEnd(8)}  ${judged.question}  ${location}`.trimEnd());
    }
  }
}
for (const { file, packageName } of OTHER_WORDS.filter((each) => each.file.includes(word))) {
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
