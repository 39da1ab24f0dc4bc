/**
 * A rule of oxlint: an array of any length is no list of arguments, as each of them takes room on the stack and some 120,000 end the call with
 * a `RangeError`. A function's own rest parameter may be handed on; what is bounded otherwise says so where it switches the rule off.
 */

interface Node {
  readonly type: string;
  readonly name?: string;
  readonly parent?: Node | null;
  readonly params?: readonly Node[];
  readonly argument?: Node;
  readonly arguments?: readonly Node[];
}

const plugin = {
  meta: { name: "house" },
  rules: {
    "no-argument-spread": {
      create: ({ report }: { report: (problem: { message: string; node: Node }) => void }) => {
        const check = (call: Node): void => {
          const spread = call.arguments?.find((one) => isUnbounded(one));
          if (spread !== undefined) report({ node: spread, message: MESSAGE });
        };
        return { CallExpression: check, NewExpression: check };
      },
    },
  },
};

const MESSAGE = "An array of any length is no list of arguments: loop, or `concat`, or `reduce`.";

function isUnbounded({ type, argument }: Node): boolean {
  return type === "SpreadElement" && argument !== undefined && !isRestParameter(argument);
}

function isRestParameter({ type, name, parent }: Node): boolean {
  if (type !== "Identifier") return false;
  for (let around = parent; around != null; around = around.parent) {
    const own = around.params?.some(
      (one) => one.type === "RestElement" && one.argument?.name === name,
    );
    if (own === true) return true;
  }
  return false;
}

export default plugin;
