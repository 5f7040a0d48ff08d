const KEY = 'adsdk_uid';

/**
 * 128 random bits as hex. Uses `getRandomValues` because `randomUUID` is missing on plain http
 * pages.
 */
export const randomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Returns the visitor's id on this site from local storage, and stores a new one when there is none
 * or its format is wrong. When storage is denied or full, the id lasts for the page.
 */
export const createUserId = (storage: () => Storage = () => window.localStorage, random: () => string = randomId): (() => string) => {
  let id: string | undefined;
  return () => {
    if (id) return id;
    try {
      const kept = storage().getItem(KEY) ?? '';
      id = /^[\w-]{8,64}$/.test(kept) ? kept : random();
      storage().setItem(KEY, id);
    } catch {
      // Private mode, blocked site data, or a full storage.
      id ??= random();
    }
    return id;
  };
};
