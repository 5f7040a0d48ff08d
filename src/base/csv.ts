import { stringify } from 'csv-stringify/sync';

/**
 * Records as RFC 4180 CSV, with CRLF. A text that a spreadsheet would run as a formula is prefixed with
 * an apostrophe. https://owasp.org/www-community/attacks/CSV_Injection
 */
export const csvText = (records: readonly (readonly unknown[])[]): string =>
  stringify([...records], {
    record_delimiter: '\r\n',
    // RFC 4180, section 2.6: a field with CR or LF alone is quoted too.
    quote_record_delimiter: true,
    escape_formulas: true,
    // A line feed can also precede a formula; escape_formulas does not cover it.
    cast: { string: (text) => (text.startsWith('\n') ? `'${text}` : text) },
  });
