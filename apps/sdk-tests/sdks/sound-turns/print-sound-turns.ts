import { countSoundTurns } from "./count-sound-turns.ts";
import { ours, theirs } from "./ways.ts";

/** Prints how many of 30 turns (or as many as the command line says) were sound, for each of LangChain's ways and ours. */

const turns = Number(process.argv[2] ?? 30);

for (const [title, resultFactor] of [
  ["Results of up to 2,000 tokens: each turn fits alone", 1],
  ["Results of up to 6,000 tokens: some turns do not fit alone", 3],
] as const) {
  console.log(title);
  for (const [name, way] of Object.entries({ ...theirs, ...ours })) {
    const { sound, reasons } = await countSoundTurns(way, { turns, resultFactor });
    const why = Object.entries(reasons).map(([reason, count]) => `${count} ${reason}`);
    console.log(`  ${name.padEnd(44)} ${sound} of ${turns}  ${why.join(", ")}`.trimEnd());
  }
}
