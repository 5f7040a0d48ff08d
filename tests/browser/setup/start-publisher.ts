import { startAdService, type AdService, type Booking } from './start-ad-service.ts';
import { startBrowser } from './start-browser.ts';
import { startPublisherSite, type PageOptions, type PublisherPage, type PublisherSite } from './start-publisher-site.ts';

/** Starts a publisher whose pages show the ads of a service. Everything ends with the test file. */
export interface Publisher {
  readonly service: AdService;
  readonly site: PublisherSite;
  readonly open: (page: Omit<PageOptions, 'service'>) => Promise<PublisherPage>;
}

/** Creatives with a destination are functions of the URL of the advertiser's page. */
export const startPublisher = async (
  bookings: readonly Booking[] | ((landing: string) => readonly Booking[]),
  env: Readonly<Record<string, string>> = {},
): Promise<Publisher> => {
  const [site, browser] = await Promise.all([startPublisherSite(), startBrowser()]);
  const service = await startAdService(typeof bookings === 'function' ? bookings(site.landing) : bookings, env);
  return { service, site, open: (page) => site.open(browser, { service, ...page }) };
};
