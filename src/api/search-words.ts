/** Of a search: more words are ignored. */
const MAX_WORDS = 8;

/** The words of a search, each with its pattern for `ilike`: the text has it, whatever the case. */
export const searchWords = (text: string): readonly { readonly word: string; readonly pattern: string }[] =>
  text
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, MAX_WORDS)
    .map((word) => ({ word, pattern: `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%` }));
