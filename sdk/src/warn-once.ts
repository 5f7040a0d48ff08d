/** A page with more messages than these has one fault, not many. */
const MAX_MESSAGES = 50;
const shown = new Set<string>();

/** Writes a message to the console, the same text once per page. */
export const warnOnce = (message: string): void => {
  if (shown.size >= MAX_MESSAGES || shown.size === shown.add(message).size) return;
  console.warn(`AdSDK: ${message}`);
};
