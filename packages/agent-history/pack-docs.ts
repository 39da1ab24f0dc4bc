import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";

/** Copies the guides into the package, so that an install includes them. Links that leave the folder lead to the repository. */
const repository = "https://github.com/agent-history/agent-history/blob/main/";

rmSync("docs", { recursive: true, force: true });
mkdirSync("docs");
for (const page of globSync("../../docs/guide/*.md")) {
  const text = readFileSync(page, "utf8")
    .replaceAll("](../../", `](${repository}`)
    .replaceAll("](../", `](${repository}docs/`)
    .replaceAll("](pictures/", `](${repository}docs/guide/pictures/`);
  writeFileSync(`docs/${basename(page)}`, text);
}
