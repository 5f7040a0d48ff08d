const tags = new WeakMap<object, string>();

/** Keeps the ETag of a record beside it. */
export const keepTag = (record: unknown, tag: string | null): void => {
  if (tag !== null && typeof record === 'object' && record !== null) tags.set(record, tag);
};

/** The ETag of a record that this client read or changed; undefined: it came from a list, or is a copy. */
export const etagOf = (record: object): string | undefined => tags.get(record);

/** The If-Match header for a change of a record that was read. */
export const ifMatchOf = (match: object | string): string => {
  const tag = typeof match === 'string' ? match : etagOf(match);
  if (tag === undefined) throw new TypeError('ifMatch needs an ETag, or a record that was read by its id.');
  return tag;
};
