/** Typed text as the record's number: empty is null, and what is no number is sent as it is, for the service to say so. */
export const numberOf = (text: unknown): number | string | null => {
  const typed = String(text ?? '').trim();
  if (typed === '') return null;
  return Number.isFinite(Number(typed)) ? Number(typed) : typed;
};

export const textOf = (value: unknown): string => (value === null || value === undefined ? '' : String(value));

export const textOrNull = (text: unknown): string | null => {
  const typed = String(text ?? '').trim();
  return typed === '' ? null : typed;
};

export const listOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map(String) : value == null ? [] : [String(value)];

/** `a, b` and Enter between values alike. */
export const splitValues = (text: string): readonly string[] =>
  text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
