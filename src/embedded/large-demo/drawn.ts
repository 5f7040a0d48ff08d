/** SQL: a number in [0, 1), of a text, that is the same on every run of a day. */
export const drawn = (of: string, seed: number): string => `((hashtextextended(${of}, ${seed}) & 1048575) / 1048576::float8)`;
