import { parseSync } from "oxc-parser";

/** Finds the names that a module exports, types too. */
export function findExports(file: string, text: string): string[] {
  return parseSync(file, text).module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName }) => (exportName.name === null ? [] : [exportName.name])),
  );
}

/** Finds the members of the interfaces that a module declares, as `Interface.member`. */
export function findMembers(file: string, text: string): string[] {
  return parseSync(file, text).program.body.flatMap((statement) => {
    const declared =
      statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declared?.type !== "TSInterfaceDeclaration") return [];
    return declared.body.body.flatMap((member) => {
      if (member.type !== "TSMethodSignature" && member.type !== "TSPropertySignature") return [];
      return member.key.type === "Identifier" ? [`${declared.id.name}.${member.key.name}`] : [];
    });
  });
}
