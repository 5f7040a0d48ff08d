/** Repeats a check until it holds; fails with its last fault. */
export const eventually = async (check: () => Promise<void> | void, withinMs = 15_000): Promise<void> => {
  const end = Date.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (fault) {
      if (Date.now() > end) throw fault;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
};
