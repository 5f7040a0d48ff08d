/**
 * A copy of a text that shares no memory with another. V8's slice keeps the whole text alive that
 * it was cut from, so a cache of slices would keep every header or body they came from.
 */
export const copyText = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');
