/** Levels of lists and objects. Schemas, comparisons and JSON.stringify walk a value recursively. */
export const MAX_JSON_DEPTH = 64;

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT, COMMA] = [...'"\\[]{},'].map((sign) => sign.charCodeAt(0));

/**
 * Whether a JSON text has at most MAX_JSON_DEPTH levels and about this many values: items, members,
 * and lists and objects once more, since one that is empty or has one item has no comma. 1 ns per
 * character; a text that is no JSON may pass.
 */
export const isBoundedJson = (text: string, maxValues: number): boolean => {
  let depth = 0;
  let values = 1;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) quoted = !quoted;
    else if (quoted) i += code === BACKSLASH ? 1 : 0;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      if (++depth > MAX_JSON_DEPTH || ++values > maxValues) return false;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
    else if (code === COMMA && ++values > maxValues) return false;
  }
  return true;
};
