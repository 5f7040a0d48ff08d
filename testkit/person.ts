import { setTimeout as sleep } from 'node:timers/promises';

/** What a person's browser sends: hits of programs are filtered. */
export const BROWSER_HEADERS = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };

/** Requests a URL as a person's browser does, without following redirects. */
export const browse = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(url, { headers: { ...BROWSER_HEADERS, ...headers }, redirect: 'manual' });

/** Longer than the shortest time in which a person reacts to an ad, also by clocks that differ: faster clicks are filtered. */
const LOOK_MS = 250;

export const lookAtAd = (): Promise<void> => sleep(LOOK_MS);
