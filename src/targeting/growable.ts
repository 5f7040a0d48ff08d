/**
 * A list of 32-bit integers that doubles its length when it is full: growing copies memory and
 * boxes nothing.
 */
export const growable = (room: number) => {
  let items = new Int32Array(room);
  let used = 0;
  return {
    push: (item: number): number => {
      if (used === items.length) {
        const larger = new Int32Array(used * 2);
        larger.set(items);
        items = larger;
      }
      items[used] = item;
      return used++;
    },
    get: (at: number): number => items[at]!,
    set: (at: number, item: number): void => {
      items[at] = item;
    },
    length: () => used,
    finish: () => items.slice(0, used),
  };
};
