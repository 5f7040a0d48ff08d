/** Names that are joined, directly or by others: union-find with path halving. */
export const createUnion = () => {
  const parents = new Map<string, string>();
  /** The same for all that are joined. */
  const rootOf = (name: string): string => {
    let at = name;
    for (;;) {
      const parent = parents.get(at) ?? at;
      if (parent === at) return at;
      const above = parents.get(parent) ?? parent;
      parents.set(at, above);
      at = above;
    }
  };
  return {
    rootOf,
    join: (one: string, other: string): void => {
      const [a, b] = [rootOf(one), rootOf(other)];
      if (a !== b) parents.set(a, b);
    },
  };
};
