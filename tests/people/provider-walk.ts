import { browserAt, type PageAnswer, type TestBrowser } from './browser.ts';

export const TOOL_URL = 'https://ads.gazette.example';

/** Someone with a browser that has cookies of the service and of the provider. */
export interface Visitor {
  readonly here: TestBrowser;
  /** Cookies by the origin of the provider. */
  readonly there: Map<string, TestBrowser>;
}

export const visitorAt = (url: string, network?: string): Visitor => ({ here: browserAt(url, network), there: new Map() });

export interface Walk {
  /** The account at the provider; `cancel` refuses there. */
  readonly account: string;
  readonly provider?: string;
  readonly to?: string;
}

/** The path and query of an address. */
export const pathOf = (address: string | null): string => {
  const { pathname, search, hash } = new URL(address ?? '', TOOL_URL);
  return pathname + search + hash;
};

/** Begins to sign in, signs in at the provider, and returns the path and query at which the provider sends the browser back. */
export const goToProvider = async ({ here, there }: Visitor, { account, provider, to }: Walk): Promise<string> => {
  const query = new URLSearchParams({ ...(provider !== undefined && { provider }), ...(to !== undefined && { to }) });
  const begun = await here.call('GET', `/auth/login?${query}`);
  let next = begun.headers.get('location') ?? '';
  if (!next.startsWith('http')) throw new Error(`/auth/login answered ${begun.status} ${next}`);
  for (let step = 0; step < 10; step++) {
    const { origin } = new URL(next);
    const browser = there.get(origin) ?? browserAt(origin);
    there.set(origin, browser);
    const answer = await browser.call('GET', pathOf(next), undefined, { 'X-Account': account });
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`the provider answered ${answer.status}: ${JSON.stringify(answer.body).slice(0, 500)}`);
    next = new URL(location, next).href;
    if (next.startsWith(TOOL_URL)) return pathOf(next);
  }
  throw new Error('the provider redirects without end');
};

/** The whole sign-in; resolves to the answer of the callback. */
export const signInAt = async (visitor: Visitor, walk: Walk): Promise<PageAnswer> =>
  visitor.here.call('GET', await goToProvider(visitor, walk));

/** Where an answer sends the browser. */
export const sentTo = ({ status, headers }: PageAnswer): readonly [number, string] => [status, headers.get('location') ?? ''];
