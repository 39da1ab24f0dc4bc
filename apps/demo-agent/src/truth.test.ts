import { describe, expect, it } from "vitest";

import { fixtureProject, pnpmProject } from "../test-support/fixture-project.ts";
import { runTool } from "./tool-loop.ts";
import { auditTools } from "./tools.ts";
import { firstLicenceLine, installedLicences } from "./truth.ts";

describe("installedLicences", () => {
  it("counts what npm installed, versions apart", () => {
    using project = fixtureProject(9);
    const truth = installedLicences(project.folder) ?? [];

    expect(truth.map(({ id, licence }) => `${id} ${licence}`).toSorted()).toEqual(project.licences);
    const copyleft = truth.find(({ id }) => id === "copyleft@2.0.0");
    expect(copyleft && firstLicenceLine(copyleft)).toBe("GNU GENERAL PUBLIC LICENSE");
  });

  it.each([
    ["npm", () => fixtureProject(9)],
    ["pnpm", pnpmProject],
  ])("agrees with the tools on what %s installed", async (_, project) => {
    using installed = project();
    const truth = installedLicences(installed.folder) ?? [];
    const call = { id: "1", name: "list_packages", arguments: JSON.stringify({ to: 100 }) };
    const listed = await runTool(call, auditTools(installed.folder));

    expect(truth.length).toBeGreaterThan(1);
    expect(JSON.stringify(listed).match(/(?<=\\n\d+\. )[^\\"]*/g)).toEqual(
      truth.map(({ id }) => id).toSorted(),
    );
  });
});
