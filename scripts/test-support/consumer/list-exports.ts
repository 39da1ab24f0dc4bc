import { createRequire } from "node:module";

/** Imports and requires every entry that the command line names, and prints the names that it exports. */

const require = createRequire(import.meta.url);
const exportsOf: Record<string, { imported: string[]; required: string[] }> = {};
for (const entry of process.argv.slice(2)) {
  const imported = Object.keys(await import(entry));
  const required = Object.keys(require(entry)).filter((name) => name !== "__esModule");
  exportsOf[entry] = { imported, required };
}
console.log(JSON.stringify(exportsOf));
