import { parseArgs } from 'node:util';
import { parseUrl } from '../base/parse-url.ts';
import { runCommand } from '../base/run-command.ts';
import { withDatabase } from '../base/with-database.ts';
import { checkSupply } from '../bidders/supply/check-supply.ts';
import { createSiteFiles } from '../bidders/supply/site-files.ts';
import { readSupply } from '../catalog/postgres/read-supply.ts';

const OPTIONS = { publisher: { type: 'string' }, at: { type: 'string', multiple: true } } as const;

/**
 * `node dist/commands/check-supply.js [--publisher 1] [--at gazette.example=http://localhost:8080]`:
 * compares the ads.txt of the publishers' sites, and the sellers.json of the systems that they sell
 * in, with what their bidders need. `--at` reads the files of a host elsewhere, before they are
 * published. Exits with 1 when something differs. See docs/programmatic.md.
 */
const main = async (): Promise<void> => {
  const { values } = parseArgs({ options: OPTIONS });
  const databaseUrl = process.env['DATABASE_URL']?.trim();
  if (!databaseUrl) throw new Error('DATABASE_URL must name the database of the service.');
  const places = new Map(values.at?.map(placeOf));
  const supplies = await withDatabase(databaseUrl, readSupply);
  const chosen = supplies.filter(({ id }) => values.publisher === undefined || values.publisher === String(id));
  if (values.publisher !== undefined && chosen.length === 0) throw new Error(`There is no publisher ${values.publisher}.`);

  const sites = createSiteFiles({ allowPrivateAddresses: false });
  const elsewhere = createSiteFiles({ allowPrivateAddresses: true });
  const checked = await checkSupply(chosen, (url) => {
    const place = places.get(url.hostname);
    return place === undefined ? sites.read(url) : elsewhere.read(new URL(url.pathname, place));
  });
  await Promise.all([sites.close(), elsewhere.close()]);
  for (const { url, faults } of checked) console.log([`${url}: ${faults.length === 0 ? 'complete' : ''}`.trim(), ...faults].join('\n  '));
  if (checked.length === 0) console.log('No bidder of a line item needs a record of ads.txt or sellers.json.');
  if (checked.some(({ faults }) => faults.length > 0)) process.exitCode = 1;
};

const placeOf = (text: string): readonly [host: string, at: URL] => {
  const [host = '', address = ''] = text.split(/=(.*)/s);
  const at = parseUrl(address);
  if (!at) throw new Error('--at must be a host and an address, such as gazette.example=http://localhost:8080.');
  return [host, at];
};

runCommand(main);
