/**
 * Writes a value as one line of JSON in which no frame can be closed: angle brackets in all their forms, invisible
 * characters and line separators are escaped, and so are the ends of lines, so that no line begins with a role.
 */
export function escapeData(value: unknown): string {
  return JSON.stringify(value).replace(UNSAFE, (character) =>
    Array.from({ length: character.length }, (_, unit) => {
      return `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`;
    }).join(""),
  );
}

/** Angle brackets and what looks like them; what is not seen; controls, line and paragraph separators. */
const UNSAFE =
  /[<>\u2039\u203A\u2329\u232A\u27E8\u27E9\u3008\u3009\uFE64\uFE65\uFF1C\uFF1E]|[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Zl}\p{Zp}]/gu;
