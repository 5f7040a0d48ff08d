/** Safe in HTML text and in quoted attributes. null and undefined become nothing. */
export const escapeHTML = (value: unknown): string =>
  String(value ?? '').replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
