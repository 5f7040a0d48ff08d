/** The languages that a tag of BCP 47 is of, the widest last, in lower case: `de-at` is `de-at` and `de`. */
export const languagesOf = (tag: string): readonly string[] => {
  const parts = tag.trim().toLowerCase().replaceAll('_', '-').split('-').slice(0, 4);
  if (!/^[a-z]{2,3}$/.test(parts[0] ?? '')) return [];
  return parts.map((_, i) => parts.slice(0, parts.length - i).join('-'));
};
