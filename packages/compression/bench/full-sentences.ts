/** The sentences of a summary that are whole, and nothing else: what the measure counts as prose. */
export function fullSentences(summary: string, plainShare: number): readonly string[] {
  return summary.split("\n").flatMap((line) => {
    const said = line.replace(/^[A-Z][a-z]+: /, "");
    return said
      .split(/(?<=[.!?]["'”’)\]*`]{0,3})\s+/)
      .filter((sentence) => isFull(sentence, plainShare));
  });
}

/** Begins with a capital and ends with a stop, has four words, and so many of its words are plain ones. */
function isFull(sentence: string, plainShare: number): boolean {
  if (!/^["'“‘(*`]{0,3}[A-Z]/.test(sentence) || !/[.!?]["'”’)\]*`]{0,3}$/.test(sentence))
    return false;
  const words = sentence.split(/\s+/);
  const plain = words.filter((word) =>
    /^["'“‘(*`]{0,3}[A-Za-z][a-z’'-]*["'”’)\]*`.,;:!?]{0,4}$/.test(word),
  );
  return plain.length >= 4 && plain.length / words.length >= plainShare;
}
