const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/**
 * Typed text as a number; null if empty, the text itself if it is not a number. The service reports
 * the fault.
 */
export const numberOf = (text: unknown): number | string | null => {
  const typed = textOf(text).trim();
  if (typed === '') return null;
  return Number.isFinite(Number(typed)) ? Number(typed) : typed;
};

export const textOf = (value: unknown): string => (value === null || value === undefined ? '' : plain(value));

export const textOrNull = (text: unknown): string | null => {
  const typed = textOf(text).trim();
  return typed === '' ? null : typed;
};

export const listOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map(textOf) : value == null ? [] : [textOf(value)];

/** The values of a text, separated by commas or line breaks. */
export const splitValues = (text: string): readonly string[] =>
  text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
