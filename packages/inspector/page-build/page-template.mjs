/**
 * The template of the page in the workspace, which is built when it is first needed and whenever its sources have changed: tests, the demo and the command line run without
 * a build. What is published has `dist/page/template.js` in its place. Plain JavaScript, since it is imported by sources and by what was compiled from them.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "..");
let kept;

export function pageTemplate() {
  kept ??= builtTemplate() ?? buildTemplate();
  return kept;
}

/** What was built, unless a file that it was built from has changed. */
function builtTemplate() {
  const path = join(folder, "dist/.page.json");
  if (!existsSync(path)) return undefined;
  const { inputs, template } = JSON.parse(readFileSync(path, "utf8"));
  return Object.entries(inputs).every(([name, hash]) => hashOf(join(folder, name)) === hash)
    ? template
    : undefined;
}

function hashOf(path) {
  return existsSync(path)
    ? createHash("sha256").update(readFileSync(path)).digest("base64")
    : undefined;
}

function buildTemplate() {
  const script = join(import.meta.dirname, "build-page.ts");
  const { status } = spawnSync(process.execPath, [script], { stdio: ["ignore", 2, 2] });
  const template = status === 0 ? builtTemplate() : undefined;
  if (template === undefined) throw new Error(`The page was not built: run \`node ${script}\`.`);
  return template;
}
