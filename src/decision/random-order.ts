/**
 * Puts positions in a random order, in which each comes before another with odds of their weights
 * (Efraimidis and Spirakis, 2006). In place.
 */
export const drawByWeight = (positions: number[], weights: Float64Array, random: () => number): void => {
  const drawn = new Map(positions.map((position) => [position, -Math.log(1 - random()) / weights[position]!]));
  positions.sort((a, b) => drawn.get(a)! - drawn.get(b)!);
};

/** Fisher–Yates, in place. */
export const shuffle = <T>(items: T[], random: () => number): void => {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [items[i], items[j]] = [items[j]!, items[i]!];
  }
};
