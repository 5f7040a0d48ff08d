/** Above every side of an ad. */
const MAX_SIDE = 32_768;

/** The size of an ad as one number, which tokens carry and counts have as their key; 0: not known, or too large. */
export const packSize = (width: number, height: number): number => (width < MAX_SIDE && height < MAX_SIDE ? width * MAX_SIDE + height : 0);

/** `320x50`; '': not known. */
export const sizeText = (size: number | undefined): string => (size ? `${Math.floor(size / MAX_SIDE)}x${size % MAX_SIDE}` : '');

/** Of a text as `sizeText` writes it. */
export const sizeOfText = (text: string): number | undefined => {
  const [width = 0, height = 0] = text.split('x').map(Number);
  return packSize(width, height) || undefined;
};
