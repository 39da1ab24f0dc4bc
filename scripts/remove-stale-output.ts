import { existsSync, globSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Removes from a package's `dist` what was built from a source that is no longer there; the compiler leaves it. `dist/bundle` and `dist/page` keep themselves. */
export function removeStaleOutput(packageFolder: string): void {
  for (const file of globSync("dist/**/*.{js,d.ts,map}", { cwd: packageFolder })) {
    if (/^dist\/(bundle|page)\//.test(file)) continue;
    const source = file.replace(/^dist/, "src").replace(/\.(js|d\.ts)(\.map)?$/, ".ts");
    if (!existsSync(join(packageFolder, source))) rmSync(join(packageFolder, file));
  }
}
