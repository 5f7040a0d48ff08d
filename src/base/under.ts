/** The value of a key; `make` makes the first one. */
export const under = <Key, Value>(map: Map<Key, Value>, key: Key, make: (key: Key) => Value): Value => {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make(key)));
  return value;
};

export const newMap = <Key, Value>(): Map<Key, Value> => new Map<Key, Value>();
export const newList = <Item>(): Item[] => [];
