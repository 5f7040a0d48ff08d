/** The bearer token that is used in place of a sign-in: kept until the tab is closed. */
const KEY = 'admin-token';

/** null: there is none. */
export const tabToken = (): string | null => sessionStorage.getItem(KEY);
export const keepTabToken = (token: string): void => sessionStorage.setItem(KEY, token);
export const dropTabToken = (): void => sessionStorage.removeItem(KEY);

export const bearer = (token: string | null): Readonly<Record<string, string>> =>
  token === null ? {} : { Authorization: `Bearer ${token}` };
