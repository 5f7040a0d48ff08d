/** One line of a CSV file (RFC 4180). What a spreadsheet would run as a formula is a text. */
export const csvLine = (cells: readonly (string | number | null)[]): string => cells.map(quoted).join(',');

const quoted = (cell: string | number | null): string => {
  if (typeof cell === 'number') return String(cell);
  const text = cell ?? '';
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
