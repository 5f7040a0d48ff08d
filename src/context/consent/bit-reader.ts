/** Reads the bits of a base64url text from its beginning, most significant bit first. */
export type BitReader = ReturnType<typeof createBitReader>;

/** The largest id of a vendor, in 16 bits. Section ids are smaller. */
const MAX_FIBONACCI = 65_535;

export const createBitReader = (text: string) => {
  // Buffer drops the bits of a last, incomplete byte; three more characters keep them.
  const bytes = Buffer.from(`${text}AAA`, 'base64url');
  const length = text.length * 6;
  let position = 0;

  /** Up to 25 bits, from the four bytes that hold them; bytes after the end count as 0. */
  const small = (width: number): number => {
    const first = position >> 3;
    const word = (bytes[first]! << 24) | (bytes[first + 1]! << 16) | (bytes[first + 2]! << 8) | bytes[first + 3]!;
    const value = (word << (position & 7)) >>> (32 - width);
    position += width;
    return value;
  };
  /** An unsigned integer of up to 36 bits. Bits after the end of the text are 0 (see `isPast`). */
  const number = (width: number): number => (width <= 24 ? small(width) : small(width - 24) * 2 ** 24 + small(24));

  /**
   * A Fibonacci-coded integer (IAB GPP, "Fibonacci integer"); 0, which the code cannot express, for
   * one above MAX_FIBONACCI or without an end.
   */
  const fibonacci = (): number => {
    let value = 0;
    let wasSet = false;
    let weight = 1;
    let nextWeight = 2;
    while (position < length) {
      const isSet = small(1) === 1;
      if (isSet && wasSet) return value;
      if (isSet) value += weight;
      if (value > MAX_FIBONACCI) return 0;
      wasSet = isSet;
      [weight, nextWeight] = [nextWeight, weight + nextWeight];
    }
    return 0;
  };

  return {
    number,
    fibonacci,
    skip: (width: number): void => {
      position += width;
    },
    /** Position in bits. */
    at: () => position,
    /** Whether the bit at an absolute position is set. */
    isSet: (at: number): boolean => at < length && ((bytes[at >> 3]! >> (7 - (at & 7))) & 1) === 1,
    /** Bits that were not read yet; negative when more were read than the text has. */
    left: () => length - position,
    /** Whether more bits were read than the text has. */
    isPast: () => position > length,
  };
};
