/** What bookings are imported from. */
export const IMPORT_SOURCES = ['spreadsheet', 'ad_manager', 'revive'] as const;
export type ImportSourceName = (typeof IMPORT_SOURCES)[number];
