/** Of an upload. A dump may be packed by gzip. */
export const MAX_IMPORT_BYTES = 64 * 1024 * 1024;
