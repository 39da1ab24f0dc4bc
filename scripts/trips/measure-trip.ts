import { Session } from "node:inspector/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

import { rootFolder } from "../workspace-packages.ts";
import { trips } from "./trips.ts";

/** Prints, as JSON, which functions of which files one trip ran. A process of its own, so that nothing is known from another trip. */

const [name = ""] = process.argv.slice(2);
const load = trips[name];
if (load === undefined) throw new Error(`There is no trip named ${name}.`);
const trip = await load();
const run = await trip();
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
await run();
const { result } = await session.post("Profiler.takePreciseCoverage");
const files = result.flatMap(({ url, functions }): (readonly [string, readonly string[]])[] => {
  const path = url.startsWith("file:") ? relative(rootFolder, fileURLToPath(url)) : "";
  if (!/^packages\/[^/]+\/src\//.test(path)) return [];
  const ran = functions.filter(({ ranges: [range] }) => range !== undefined && range.count > 0);
  const names = ran.map(({ functionName }) => functionName);
  return names.length === 0 ? [] : [[path, names]];
});
console.log(JSON.stringify(Object.fromEntries(files)));
