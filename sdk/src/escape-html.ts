/** Safe in HTML text and in quoted attributes. null and undefined become nothing. */
export const escapeHTML = (value: unknown): string =>
  // eslint-disable-next-line @typescript-eslint/no-base-to-string -- a template that writes an object shows one
  String(value ?? '').replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
