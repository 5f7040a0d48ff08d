import { isWithinDomains } from '../../base/is-within-domains.ts';
import { parseJson } from '../../base/parse-json.ts';
import { parseUrl } from '../../base/parse-url.ts';
import type { PublisherSupply } from '../../catalog/postgres/read-supply.ts';
import { adsTxtFaults, adsTxtRecords } from './ads-txt.ts';
import type { SiteFile } from './site-files.ts';
import { ambiguousSellers, sellersJsonFaults, sellersOf } from './sellers-json.ts';

/** A file that buyers read, and what of it does not agree with the bookings. */
export interface CheckedFile {
  readonly url: string;
  readonly faults: readonly string[];
}

/**
 * Compares the ads.txt of every site of these publishers, and the sellers.json of every system that
 * they sell in, with what this service writes. Publishers without such bidders are left out.
 */
export const checkSupply = async (
  supplies: readonly PublisherSupply[],
  read: (url: URL) => Promise<SiteFile>,
): Promise<readonly CheckedFile[]> => {
  const checked: CheckedFile[] = [];
  const check = async (host: string, path: string, faultsOf: (text: string) => readonly string[]): Promise<void> => {
    const url = new URL(path, `https://${host}`);
    const file = await read(url);
    checked.push({ url: url.href, faults: 'fault' in file ? [file.fault] : faultsOf(file.text) });
  };
  for (const supply of supplies)
    if (adsTxtRecords(supply).length > 0)
      for (const host of sitesOf(supply)) await check(host, '/ads.txt', (text) => adsTxtFaults(supply, text));
  for (const [asi, sellers] of sellersOf(supplies))
    await check(asi, '/sellers.json', (text) => [...ambiguousSellers(sellers), ...sellersJsonFaults(sellers, parseJson(text))]);
  return checked;
};

/** The domain of the publisher, and the hosts of its pages outside of it. Addresses and names without a dot have no ads.txt. */
const sitesOf = ({ domain, origins }: PublisherSupply): readonly string[] => {
  const sites = new Set([domain.replace(/^www\./, '')]);
  for (const origin of origins) {
    const host = parseUrl(origin.replace('//*.', '//'))?.hostname.replace(/^www\./, '') ?? '';
    if (/\.[a-z][a-z0-9-]*$/.test(host) && !isWithinDomains(host, sites)) sites.add(host);
  }
  return [...sites];
};
