/**
 * The cookies of people who have signed in. `__Host-`: only this host has set it, over a safe
 * connection, for all its paths (RFC 6265bis, 4.1.3.2). Browsers count http://localhost as safe.
 */
const NAMES = { session: '__Host-session', device: '__Host-device', sign_in: '__Host-sign-in', passkey: '__Host-passkey' } as const;
export type CookieName = keyof typeof NAMES;

/** undefined: the request has none. */
export const cookieOf = (header: string | undefined, name: CookieName): string | undefined => {
  for (const pair of header?.split(';') ?? []) {
    const [given, value] = pair.trim().split('=', 2);
    if (given === NAMES[name] && value) return value;
  }
  return undefined;
};

/** A Set-Cookie header. Lax: a link from elsewhere leads a signed-in person to a page, a form from elsewhere has no session. */
export const setCookie = (name: CookieName, value: string, lifetimeMs: number): string =>
  `${NAMES[name]}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${Math.floor(lifetimeMs / 1000)}`;

export const clearCookie = (name: CookieName): string => setCookie(name, '', 0);
