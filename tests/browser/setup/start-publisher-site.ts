import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import type { AdService } from './start-ad-service.ts';

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** A page of a publisher, and its requests to the ad server in order. */
export interface PublisherPage {
  readonly page: Page;
  readonly sent: readonly Sent[];
  /** Requests of one path: `/ad`, `/impression`, … */
  readonly sentTo: (path: string) => readonly Sent[];
  /** Uncaught errors and rejections of the page. */
  readonly faults: readonly string[];
  /** Events of the SDK as `name placement nbr-or-message`. */
  readonly signals: () => Promise<readonly string[]>;
}

export interface PublisherSite {
  readonly url: string;
  /** A page of an advertiser, on another origin. */
  readonly landing: string;
  /** Number of requests for the advertiser's page. */
  readonly landings: () => number;
  /** Serves a page, and resolves to its address. */
  readonly serve: (options: PageOptions) => string;
  readonly open: (browser: Browser, options: PageOptions) => Promise<PublisherPage>;
}

/** What happens before the page is loaded, for example routes. */
export type Prepare = (page: Page) => Promise<unknown>;

export interface PageOptions {
  /**
   * The service whose script the page loads and whose requests are recorded. Its key and publisher
   * id are set as globals.
   */
  readonly service: Pick<AdService, 'baseUrl' | 'apiKey' | 'publisherId'>;
  /** Inside body. */
  readonly html: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Attributes of the SDK's script element. */
  readonly scriptAttributes?: string;
  /** Inside head. */
  readonly head?: string;
  /** false: the page has no script element of the SDK but what `head` and `html` contain. */
  readonly script?: false;
  readonly viewport?: { readonly width: number; readonly height: number };
  /**
   * A script of the page, after the SDK. Unlike code that a test evaluates, it does not count as a
   * user gesture.
   */
  readonly run?: string;
  /** Runs before all scripts of the page. */
  readonly init?: string;
  readonly prepare?: Prepare;
  /** The event of the page that opening waits for. Default: load. */
  readonly until?: 'domcontentloaded';
  /** Whether the page is in the foreground, where ads can become viewable. Default: background. */
  readonly watched?: boolean;
}

const IN_BACKGROUND = `Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });`;

const LANDING_PATH = '/landing';

const NOTE_SIGNALS = `
  window.signals = [];
  for (const name of ['noAd', 'error', 'viewable']) {
    document.addEventListener('AdSDK:' + name, ({ detail }) => signals.push([name, detail.placementId, detail.nbr ?? detail.error?.message].join(' ').trim()));
  }
  window.faults = [];
  addEventListener('error', (event) => faults.push(event.message));
  addEventListener('unhandledrejection', (event) => faults.push(String(event.reason)));
`;

const servers = new Set<Server>();
afterAll(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

/**
 * Starts a publisher's web server on `localhost`, which is another origin and another site than an
 * ad server on `127.0.0.1`. It ends with the test file.
 */
export const startPublisherSite = async (): Promise<PublisherSite> => {
  const pages = new Map<string, PageOptions>();
  let landings = 0;
  const server = createServer((request, response) => {
    if (request.url === LANDING_PATH) {
      landings++;
      return response.end('landed');
    }
    const options = pages.get(request.url ?? '');
    if (!options) return response.writeHead(404).end();
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', ...options.headers });
    return response.end(
      `<!doctype html><html lang="en"><head><title>A page</title>${options.head ?? ''}</head><body>${options.html}` +
        (options.script === false
          ? ''
          : `<script src="${options.service.baseUrl}/static/sdk/adsdk.min.js" ${options.scriptAttributes ?? ''}></script>`) +
        (options.run ? `<script>${options.run}</script>` : '') +
        '</body></html>',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.add(server);
  const { port } = server.address() as AddressInfo;
  const url = `http://localhost:${port}`;

  const serve: PublisherSite['serve'] = (options) => {
    const path = `/${pages.size}.html`;
    pages.set(path, options);
    return url + path;
  };

  return {
    url,
    serve,
    landing: `http://127.0.0.1:${port}${LANDING_PATH}`,
    landings: () => landings,
    open: async (browser, options) => {
      const address = serve(options);
      const page = await browser.newPage(options.viewport && { viewport: options.viewport });
      const sent: Sent[] = [];
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('request', (request) => {
        const address = new URL(request.url());
        if (address.origin !== options.service.baseUrl || address.pathname.startsWith('/static/')) return;
        sent.push({
          method: request.method(),
          path: address.pathname,
          query: address.searchParams,
          headers: request.headers(),
          body: request.postData(),
        });
      });
      const { apiKey, publisherId } = options.service;
      const globals = `window.AD_SERVER_API_KEY = ${JSON.stringify(apiKey)}; window.AD_SERVER_PUBLISHER_ID = ${publisherId};`;
      await page.addInitScript(NOTE_SIGNALS + globals + (options.watched ? '' : IN_BACKGROUND) + (options.init ?? ''));
      await options.prepare?.(page);
      await page.goto(address, options.until && { waitUntil: options.until });
      return {
        page,
        sent,
        faults,
        sentTo: (to) => sent.filter((one) => one.path === to),
        signals: () => page.evaluate(() => (window as unknown as { signals: string[] }).signals),
      };
    },
  };
};
