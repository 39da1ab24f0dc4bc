// Measures one system on one history in a process of its own, and writes what it found as JSON.
import { systemCalled } from "../systems/all-systems.ts";
import { fitOne } from "./fit-one.ts";

const [name = "", messages = "", windowTokens = "", repeats = "", budgetMs = ""] =
  process.argv.slice(2);
const system = await systemCalled(name);
if (system === undefined) throw new Error(`There is no system called ${name}.`);
const figures = await fitOne(
  system,
  { messages: Number(messages), windowTokens: Number(windowTokens) },
  { repeats: Number(repeats), budgetMs: Number(budgetMs) },
);
process.stdout.write(JSON.stringify(figures));
