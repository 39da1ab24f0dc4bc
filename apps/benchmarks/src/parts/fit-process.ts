// Measures one system on one history in a process of its own, and writes what it found as JSON.
import { systemCalled } from "../systems/all-systems.ts";
import { fitOne } from "./fit-one.ts";

/** What one more turn is measured beside. */
const BARE = "bare backward walk";

const [name = "", messages = "", windowTokens = "", repeats = "", budgetMs = ""] =
  process.argv.slice(2);
const [system, bare] = await Promise.all([systemCalled(name), systemCalled(BARE)]);
if (system === undefined || bare === undefined)
  throw new Error(`There is no system called ${name}.`);
const figures = await fitOne(system, bare, {
  messages: Number(messages),
  windowTokens: Number(windowTokens),
  repeats: Number(repeats),
  budgetMs: Number(budgetMs),
});
process.stdout.write(JSON.stringify(figures));
