/** Levels of lists and objects. Schemas, comparisons and JSON.stringify walk a value recursively. */
export const MAX_JSON_DEPTH = 64;

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT, COMMA] = [...'"\\[]{},'].map((sign) => sign.charCodeAt(0));

/**
 * Whether a JSON text has at most MAX_JSON_DEPTH levels and about this many values: items, members,
 * and lists and objects once more, since one that is empty or has one item has no comma. A text that
 * is no JSON may pass.
 *
 * @param json UTF-8: the characters that count are bytes of no other one. 0.7 ns per byte; over a
 *   text it was 1.8 ns per character
 */
export const isBoundedJson = (json: Uint8Array, maxValues: number): boolean => {
  let depth = 0;
  let values = 1;
  for (let i = 0; i < json.length; i++) {
    const code = json[i];
    if (code === QUOTE) {
      for (i++; i < json.length && json[i] !== QUOTE; i++) if (json[i] === BACKSLASH) i++;
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      if (++depth > MAX_JSON_DEPTH || ++values > maxValues) return false;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
    else if (code === COMMA && ++values > maxValues) return false;
  }
  return true;
};
