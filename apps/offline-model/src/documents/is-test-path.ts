const TEST_PART =
  /(?:^|[/._-])(?:tests?|specs?|__tests__|fixtures?|__fixtures__|mocks?|__mocks__)(?:[/._-]|$)/i;

/** Tells by its path whether a file is a test: it shows a thing in use, with invented texts. */
export function isTestPath(path: string): boolean {
  return TEST_PART.test(path);
}
