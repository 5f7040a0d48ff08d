const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;', '`': '&#96;' };

/** Text that can stand in element content and in a quoted attribute. NUL, which parsers replace, is left out. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"'`\0]/g, (character) => ENTITIES[character] ?? '');
