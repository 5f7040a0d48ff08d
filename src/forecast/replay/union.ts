/** Names that are joined, directly or by others. */
export interface Union {
  join(one: string, other: string): void;
  /** The same for all that are joined. */
  rootOf(name: string): string;
}

/** Union-find with path halving. */
export const createUnion = (): Union => {
  const parents = new Map<string, string>();
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
    join: (one, other) => {
      const [a, b] = [rootOf(one), rootOf(other)];
      if (a !== b) parents.set(a, b);
    },
  };
};
