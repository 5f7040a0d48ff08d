/** Modules around the code: four, by ISO/IEC 18004. */
const MARGIN = 4;

/** A QR code as its drawing: `path` has a square of 1 × 1 for each dark module, in a square of `size`, which has a quiet margin. */
export const qrCodeOf = async (text: string) => {
  // Loaded with the first code.
  const { encodeQR } = await import('qr');
  const rows = encodeQR(text, 'raw', { border: MARGIN, ecc: 'medium' });
  const path = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return { size: rows.length, path };
};
