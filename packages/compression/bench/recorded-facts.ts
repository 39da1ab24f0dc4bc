/**
 * What counts as a fact in the measure, written apart from `src/facts`: distinct matches, longer than one character, of
 * each of these. A part of a word is none: each begins and ends where a word does.
 */
const definitions: readonly RegExp[] = [
  // Paths of two parts or more.
  /(?<![\w./~@-])(?:~|\.{1,2})?\/?[\w.@+-]+(?:\/[\w.@+-]+)+/g,
  /(?<![\w./~@-])\/[\w.@+-]+\/?(?:[\w.@+-]+\/?)*/g,
  // E-mail addresses.
  /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g,
  // File names with a known ending.
  /(?<![\w-])[\w-]+(?:\.[\w-]+)*\.(?:c|cc|cfg|cpp|css|csv|go|h|html|ini|ipynb|java|js|json|jsx|log|lock|md|pdf|php|pkl|png|py|pyc|pyx|rb|rs|rst|sage|sh|sql|toml|ts|tsx|txt|xml|yaml|yml|zip)(?![\w-])/g,
  // ISO dates.
  /(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)/g,
  // Upper-case letters followed by digits.
  /(?<!\w)[A-Z]+\d+(?!\w)/g,
  // Words of five or more characters that mix letters and digits.
  /(?<!\w)(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{5,}(?!\w)/g,
  // snake_case names.
  /(?<!\w)_*[A-Za-z0-9]+(?:_+[A-Za-z0-9]+)+_*(?!\w)/g,
  // Numbers of two digits or more, with a currency sign or not.
  /(?<![\w.])[$€£¥]?(?=[\d,.]*\d[,.]?\d)\d+(?:,\d{3})*(?:\.\d+)?(?!\w)/g,
];

/** The distinct facts of a text, in the order of the definitions. */
export function recordedFacts(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const definition of definitions) {
    for (const [match] of text.matchAll(definition)) {
      const fact = match.replace(/[.,:;-]+$/, "");
      if (fact.length > 1) found.add(fact);
    }
  }
  return found;
}
