import { type Comment, parseSync, type Program } from "oxc-parser";

import { type Example, lineAt, indexIn } from "./find-examples.ts";

type Statement = Program["body"][number];

/** Inserts text, or replaces what stands between two offsets. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Turns each `// => value` into a call of `assertEqual(actual, expected, place)`.
 *
 * The comment stands on the last line of a statement or on the next: an expression, a
 * `console.log` of one, or a declaration of one name. A value may go on over several comment
 * lines. Lines keep their numbers.
 *
 * @throws `Error` where a comment belongs to no statement, or its value is no expression.
 */
export function assertArrows(example: Example): string {
  const { code } = example;
  const { program, comments } = parseSync("example.ts", code);
  const edits = comments.flatMap((comment, index) => {
    if (comment.type !== "Line" || !comment.value.startsWith(" =>")) return [];
    const location = indexIn(example, lineAt(code, comment.start));
    const expected = expectedValue(code, comments.slice(index));
    if (expected === undefined) throw new Error(`${location} // => is followed by no expression`);
    const assertion = wrap(statementAbove(code, program, comment), expected, location);
    if (assertion.length === 0) throw new Error(`${location} // => stands below no expression`);
    return assertion;
  });
  return edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end), code);
}

/** Finds the statement that ends on the comment's line or on the one above. */
function statementAbove(code: string, program: Program, comment: Comment): Statement | undefined {
  const statement = program.body.findLast(({ end }) => end <= comment.start);
  const gap = statement && code.slice(statement.end, comment.start);
  return gap?.trim() === "" && gap.split("\n").length <= 2 ? statement : undefined;
}

/** Joins the comment with those on the next lines until they make an expression. */
function expectedValue(code: string, comments: readonly Comment[]): string | undefined {
  let value = "";
  let end = comments[0]?.start ?? 0;
  for (const comment of comments) {
    if (!/^\n?[ \t]*$/.test(code.slice(end, comment.start))) return undefined;
    value += comment.value.replace(/^ =>/, "");
    if (value.trim() !== "" && parseSync("value.ts", `(${value})`).errors.length === 0)
      return value;
    end = comment.end;
  }
  return undefined;
}

function wrap(statement: Statement | undefined, expected: string, location: string): Edit[] {
  const tail = `), (${expected}), ${JSON.stringify(location)});`;
  if (statement?.type === "ExpressionStatement") {
    const { start, end, expression } = statement;
    const actual = loggedValue(expression) ?? expression;
    return [
      { start: actual.end, end, text: tail },
      { start, end: actual.start, text: "assertEqual((" },
    ];
  }
  const name = statement?.type === "VariableDeclaration" && statement.declarations[0]?.id;
  if (!name || name.type !== "Identifier") return [];
  return [{ start: statement.end, end: statement.end, text: `; assertEqual((${name.name}${tail}` }];
}

type Expression = Extract<Statement, { type: "ExpressionStatement" }>["expression"];

/** Finds what `console.log(x)` prints. */
function loggedValue(expression: Expression): { start: number; end: number } | undefined {
  if (expression.type !== "CallExpression" || expression.arguments.length !== 1) return undefined;
  const { callee } = expression;
  const isLog =
    callee.type === "MemberExpression" &&
    callee.object.type === "Identifier" &&
    callee.object.name === "console";
  return isLog ? expression.arguments[0] : undefined;
}
