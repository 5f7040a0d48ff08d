import { build } from 'esbuild';
import type { Page } from 'playwright-core';

/** The modules of a stock build that the tests use. */
const MODULES = ['prebidServerBidAdapter', 'nativeRendering', 'consentManagementTcf', 'consentManagementGpp', 'dsaControl', 'priceFloors'];

/** A stock Prebid.js from npm with these modules, as one script that sets `pbjs`. */
export const buildPrebid = async (): Promise<string> => {
  const contents = `import pbjs from 'prebid.js'; ${MODULES.map((name) => `import 'prebid.js/modules/${name}.js';`).join(' ')} pbjs.processQueue();`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    write: false,
    format: 'iife',
    logLevel: 'silent',
  });
  return outputFiles[0]!.text;
};

/** What Prebid.js keeps of a bid. */
export interface PrebidBid {
  readonly adId: string;
  readonly cpm: number;
  readonly currency: string;
  readonly bidder: string;
  readonly mediaType: string;
  readonly ttl: number;
  readonly width: number;
  readonly height: number;
  readonly creativeId: string;
  readonly dealId?: string;
  readonly ad?: string;
  readonly vastXml?: string;
  /** Where Prebid Cache keeps it. */
  readonly vastUrl?: string;
  readonly videoCacheKey?: string;
  readonly native?: { readonly ortb: object };
  readonly meta: { readonly advertiserDomains?: readonly string[]; readonly dsa?: object };
}

interface Pbjs {
  setConfig(config: object): void;
  requestBids(options: object): Promise<{ readonly bids?: Readonly<Record<string, { readonly bids: readonly PrebidBid[] }>> }>;
  renderAd(doc: Document, adId: string): void;
  onEvent(name: string, listener: (data: unknown) => void): void;
}
declare const pbjs: Pbjs;

/** Runs an auction in a page. Resolves to the bids of each ad unit. */
export const auction = (page: Page, config: object, adUnits: readonly object[]): Promise<Readonly<Record<string, readonly PrebidBid[]>>> =>
  page.evaluate(
    async ([settings, units]) => {
      pbjs.setConfig(settings);
      const { bids } = await pbjs.requestBids({ adUnits: units, timeout: 5_000 });
      // Prebid's bids have functions and links to each other.
      return JSON.parse(
        JSON.stringify(Object.fromEntries(Object.entries(bids ?? {}).map(([code, of]) => [code, of.bids])), (key, value: unknown) =>
          key === 'metrics' ? undefined : value,
        ),
      ) as Record<string, PrebidBid[]>;
    },
    [config, adUnits] as const,
  );

/** Renders a bid in a frame, as the creative of a publisher's ad server does. Resolves when Prebid says how it went. */
export const render = (page: Page, adId: string): Promise<string> =>
  page.evaluate(
    (id) =>
      new Promise<string>((resolve) => {
        pbjs.onEvent('adRenderSucceeded', () => resolve('succeeded'));
        pbjs.onEvent('adRenderFailed', (data) => resolve(JSON.stringify((data as { readonly message: string }).message)));
        const frame = document.createElement('iframe');
        document.body.append(frame);
        pbjs.renderAd(frame.contentDocument!, id);
      }),
    adId,
  );
