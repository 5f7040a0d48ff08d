const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;', '`': '&#96;' };

/**
 * Escapes text for element content and quoted attributes. NUL, which parsers replace, is left out.
 */
export const escapeHtml = (text: string): string => text.replace(/[&<>"'`\0]/g, (character) => ENTITIES[character] ?? '');
