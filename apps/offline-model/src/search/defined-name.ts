const MODIFIERS =
  "(?:(?:export|default|declare|public|private|protected|internal|static|final|abstract|async|pub(?:\\([a-z]+\\))?|unsafe|open|override|inline|virtual|extern)\\s+){0,5}";
const NAME = "([\\p{L}_$][\\p{L}\\p{N}_$]*)";
/** Declarations that are one wherever they stand. */
const DECLARATION = new RegExp(
  `^\\s*${MODIFIERS}(?:function\\*?|class|interface|enum|def|fn|func|fun|struct|trait|impl|module|namespace|record|type|sub|proc)\\s+${NAME}`,
  "u",
);
/** A variable is worth a name where the file itself declares it. */
const VARIABLE = new RegExp(`^${MODIFIERS}(?:const|let|var|val)\\s+${NAME}`, "u");

/** Returns the name that a line of code defines, in the words that most languages use for it. */
export function definedName(line: string): string | undefined {
  return (DECLARATION.exec(line) ?? VARIABLE.exec(line))?.[1];
}
