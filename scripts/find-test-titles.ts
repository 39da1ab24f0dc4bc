import { type Argument, type Expression, parseSync, Visitor } from "oxc-parser";

/**
 * Finds the titles of the tests of a file that run: the first argument of `it`, also of `it.each(…)` and its kin, where it is
 * plain text, and of a table whose rows begin with their titles those. What is skipped or only planned is none.
 */
export function findTestTitles(file: string, text: string): string[] {
  const titles: string[] = [];
  const visitor = new Visitor({
    CallExpression({ callee, arguments: [first] }) {
      const title = isTest(callee) ? plainText(first) : undefined;
      if (title !== undefined) titles.push(...(title === "%s" ? rowTitles(callee) : [title]));
    },
  });
  visitor.visit(parseSync(file, text).program);
  return titles;
}

/** `it`, `it.each(cases)`, `it.for(cases)`, `it.skipIf(condition)`; not `it.skip` and `it.todo`. */
function isTest(callee: Expression): boolean {
  if (callee.type === "Identifier") return callee.name === "it" || callee.name === "test";
  if (callee.type === "CallExpression") return isTest(callee.callee);
  if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return false;
  return !["skip", "todo", "fails"].includes(callee.property.name) && isTest(callee.object);
}

/** The titles of `it.each([["title", …], …])("%s", …)`. */
function rowTitles(callee: Expression): string[] {
  const table = callee.type === "CallExpression" ? callee.arguments[0] : undefined;
  const rows = table?.type === "ArrayExpression" ? table.elements : [];
  return rows.flatMap((row) => {
    const title = row?.type === "ArrayExpression" ? row.elements[0] : undefined;
    return plainText(title ?? undefined) ?? [];
  });
}

function plainText(node: Argument | undefined): string | undefined {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  const quasis = node?.type === "TemplateLiteral" ? node.quasis : [];
  return quasis.length === 1 ? (quasis[0]?.value.cooked ?? undefined) : undefined;
}
