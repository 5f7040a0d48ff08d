import { execFile, type ExecFileException } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import type { Note } from '../src/imports/imported.ts';
import { BROWSER_SWITCHES, browserPath } from '../testkit/browser-path.ts';
import { geoDatabase } from '../testkit/geo-database-file.ts';
import { inParallel } from '../testkit/in-parallel.ts';
import {
  ADS_HOST,
  NEWS_HOST,
  PLACE,
  planSite,
  SHOP_HOST,
  VISITOR,
  type Booked,
  type Planned,
  type PlannedShare,
} from './revive/plan-site.ts';
import { askHost, createCertificate, startTagHost, startWebsites } from './revive/serve-web.ts';
import { startRevive } from './revive/start-revive.ts';
import { BROWSER, destinationOf, digestOf, htmlOf, joinVisits, visitPages, type Visited } from './revive/visit-pages.ts';
import type { Fleet } from './rig/open-fleet.ts';
import type { Proof } from './rig/proof.ts';

const TOKEN = 'a-token-of-the-staff-of-this-proof';
const ADS = path.resolve('dist/cli/ads.js');
const VIEWS = 5;
const MAX_ROUNDS = 6;
/** Of a zone that banners share: four deviations of a share of a half in so many requests are less than this. */
const SHARE_TOLERANCE = 0.1;

interface Ran {
  readonly code: number;
  readonly out: string;
}

/** The command `ads` against the service, as a person runs it. */
const adsOf =
  (folder: string, url: string) =>
  (...args: readonly string[]): Promise<Ran> =>
    new Promise((resolve) => {
      const done = (fault: ExecFileException | null, out: string, err: string): void =>
        resolve({ code: Number(fault?.code ?? 0), out: out + err });
      const env = { PATH: process.env['PATH'], ADS_URL: url, ADS_TOKEN: TOKEN };
      execFile(process.execPath, [ADS, ...args], { cwd: folder, env }, done).stdin?.end();
    });

interface Report {
  readonly records: Readonly<Record<string, number>>;
  readonly notes: readonly Note[];
}

/** What the import did, and what a second one would. */
interface Move {
  readonly report: Report;
  readonly faults: readonly string[];
}

/** Brings everything over: a dry run, the import, and the same once more. */
const move = async (ads: ReturnType<typeof adsOf>, folder: string, from: readonly string[]): Promise<Move> => {
  const faults: string[] = [];
  const run = async (what: string, args: readonly string[], says: string): Promise<void> => {
    const { code, out } = await ads(...args);
    if (code !== 0 || !out.includes(says)) faults.push(`${what} answered ${code}: ${out.slice(0, 2_000)}`);
  };
  const imported = ['import', 'revive', ...from];
  await run('the dry run', [...imported, '--dry-run'], 'left out');
  await run('the import', [...imported, '--yes', '--report', 'report.json'], 'API key of the new publisher');
  await run('the second import', [...imported, '--yes'], 'Nothing would change');
  await run('diff', ['diff', 'revive.yaml'], '');
  return { report: JSON.parse(await readFile(path.join(folder, 'report.json'), 'utf8')) as Report, faults };
};

/** Lets visitors who say nothing have an id, as the report advises: Revive does not ask. */
const allowIds = async (url: string): Promise<void> => {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
  const list = (await (await fetch(`${url}/api/publishers`, { headers })).json()) as readonly { readonly id: number }[];
  const body = JSON.stringify({ consent_when_silent: 'allow' });
  for (const { id } of list) {
    const answer = await fetch(`${url}/api/publishers/${id}`, { method: 'PATCH', headers, body });
    if (!answer.ok) throw new Error(`PATCH /api/publishers/${id} answered ${answer.status}: ${await answer.text()}`);
  }
};

/** What the report says of each banner, or of its campaign: `left_out`, `paused`, `changed`. */
const saidOf = ({ notes }: Report, planned: Planned, booked: Booked): ReadonlyMap<string, ReadonlySet<string>> => {
  const of = (kind: string, id: number | undefined): readonly string[] =>
    notes.filter((note) => note.kind === kind && note.id === String(id)).map(({ level }) => level);
  return new Map(
    planned.plan.campaigns.flatMap(({ fields, banners }) => {
      const campaign = of('campaign', booked.campaigns[String(fields['campaignName'])]);
      return banners.map((banner) => {
        const name = String(banner.fields['bannerName']);
        return [name, new Set([...campaign, ...of('banner', booked.banners[name])])] as const;
      });
    }),
  );
};

/** Shares of a zone, in requests of visitors who are new. */
const sharesOf = async (tagPort: number, zoneId: number, requests: number): Promise<ReadonlyMap<string, number>> => {
  const counts = new Map<string, number>();
  await inParallel(requests, 4, async () => {
    const { body } = await askHost(tagPort, `https://${ADS_HOST}/www/delivery/afr.php?zoneid=${zoneId}`, { 'user-agent': BROWSER });
    const [, href = ''] = /<a[^>]* href=["']([^"']+)/.exec(body.toString()) ?? [];
    const banner = href === '' ? 'none' : await destinationOf(href.replaceAll('&amp;', '&'), tagPort);
    counts.set(banner, (counts.get(banner) ?? 0) + 1);
  });
  return new Map([...counts].map(([banner, count]) => [banner, count / requests]));
};

/** Records of the catalog that were not archived, which the import made. */
const recordsIn = async ({ knex }: Fleet): Promise<{ readonly campaigns: number; readonly banners: number }> => {
  const count = async (table: string, kind: string): Promise<number> => {
    const rows = await knex(table).where('external_key', 'like', `revive:${kind}:%`).select<{ external_key: string }[]>('external_key');
    return new Set(rows.map(({ external_key: key }) => key)).size === rows.length ? rows.length : NaN;
  };
  return { campaigns: await count('campaigns', 'campaign'), banners: await count('creatives', 'banner') };
};

/** Banners that a visitor sees so often at most, by their own cap or that of their campaign. */
const capsOf = ({ plan }: Planned): ReadonlyMap<string, number> =>
  new Map(
    plan.campaigns.flatMap((campaign) =>
      campaign.banners.flatMap(({ fields }) => {
        const caps = [campaign.fields['capping'], fields['capping']].map(Number).filter((cap) => cap > 0);
        return caps.length > 0 ? [[String(fields['bannerName']), Math.min(...caps)] as const] : [];
      }),
    ),
  );

/** Where a visitor saw a banner more often than its cap. */
const overCaps = ({ most }: Visited, caps: ReadonlyMap<string, number>): readonly string[] =>
  [...most].flatMap(([place, of]) =>
    [...of].flatMap(([banner, count]) =>
      count > (caps.get(banner) ?? Infinity) ? [`${place}: one visitor saw ${banner} ${count} times`] : [],
    ),
  );

const worstShare = (planned: PlannedShare, found: ReadonlyMap<string, number>): number =>
  Math.max(...Object.entries(planned.shares).map(([banner, share]) => Math.abs((found.get(banner) ?? 0) - share)));

/**
 * REVIVE_SOURCE: an unpacked release of Revive Adserver 6, or a checkout with its libraries. PHP: the program, with PHP_ARGUMENTS. MariaDB's
 * programs are on the path.
 */
export const reviveMove: Proof = {
  name: 'revive-move',
  claim:
    'an installation of Revive Adserver, with 50 campaigns and 200 banners that its own code books, is imported, and the host of its tags is led to this service: pages, the same byte by byte, in Chromium',
  expected:
    'every campaign and banner is imported or in the report; a second import changes nothing; each place shows the banners that it showed before, or one that the report says is different; every click leads to the same address; no error of a script',
  needs: 'PHP',
  run: async (rig, scale) => {
    const source = process.env['REVIVE_SOURCE'];
    if (source === undefined) throw new Error('REVIVE_SOURCE must name a release of Revive Adserver 6, or a checkout with its libraries.');
    const folder = await mkdtemp(path.join(tmpdir(), 'revive-move-'));
    const closing: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
    try {
      const planned = planSite(rig.seed, Date.now());
      const places = path.join(folder, 'places.mmdb');
      await writeFile(places, geoDatabase(PLACE));
      const revive = await startRevive({ source, folder, host: ADS_HOST, places });
      closing.push(() => revive.stop());
      const booked = await revive.fill(planned.plan);
      rig.say(
        `revive-move: Revive ${revive.version} on MariaDB ${revive.databaseVersion} has ${Object.keys(booked.banners).length} banners`,
      );

      const pages = new Map(planned.pages.map((page) => [page.path, htmlOf(page, booked)]));
      const certificate = await createCertificate(folder);
      const websites = await startWebsites(certificate, NEWS_HOST, pages, planned.pictures);
      closing.push(() => websites.stop());
      const tags = await startTagHost(certificate, VISITOR);
      closing.push(() => tags.stop());
      const hosts = [
        `MAP ${ADS_HOST}:443 127.0.0.1:${tags.port}`,
        ...[NEWS_HOST, SHOP_HOST].map((host) => `MAP ${host}:443 127.0.0.1:${websites.port}`),
      ];
      const browser = await chromium.launch({
        executablePath: browserPath(),
        args: [...BROWSER_SWITCHES, `--user-agent=${BROWSER}`, `--host-resolver-rules=${hosts.join(', ')}`],
      });
      closing.push(() => browser.close());
      const pictures = new Map(
        planned.plan.campaigns.flatMap(({ banners }) =>
          banners.map(({ fields, image }) => {
            const content = image ? Buffer.from(image.content, 'base64') : planned.pictures.get(`/${String(fields['bannerName'])}.png`);
            return [content ? digestOf(content) : '', String(fields['bannerName'])] as const;
          }),
        ),
      );
      const visit = (paths: ReadonlySet<string>, hasClicks: boolean): Promise<Visited> =>
        visitPages({
          ...{ browser, views: VIEWS, tagPort: tags.port, pictures, hasClicks },
          pages: planned.pages.filter((page) => paths.has(page.path)),
          visitors: scale.of(4, 2),
        });
      const everything = new Set(pages.keys());
      const requests = scale.of(600, 200);
      const shares = async () => {
        const found: (readonly [PlannedShare, ReadonlyMap<string, number>])[] = [];
        for (const share of planned.shares) found.push([share, await sharesOf(tags.port, booked.zones[share.zone]!, requests)]);
        return found;
      };

      tags.lead(revive.port);
      let before = await visit(everything, true);
      const sharesBefore = await shares();
      rig.say(`revive-move: ${before.loads} pages with Revive`);

      const fleet = await rig.fleet({
        replicas: 1,
        env: { PUBLIC_URL: `https://${ADS_HOST}`, ADMIN_TOKEN: TOKEN, GEO_DATABASE: places, TRUST_PROXY_HOPS: '1' },
      });
      closing.push(() => fleet.close());
      const replica = fleet.replicas[0]!;
      const { report, faults } = await move(adsOf(folder, replica.url), folder, [
        ...['--from', revive.databaseUrl, '--images', revive.images, '--agency', String(booked.agency)],
      ]);
      const records = await recordsIn(fleet);
      await allowIds(replica.url);
      await fleet.reload();
      tags.lead(replica.port);
      let after = await visit(everything, true);
      const sharesAfter = await shares();
      rig.say(`revive-move: ${after.loads} pages with this service`);

      const said = saidOf(report, planned, booked);
      const caps = capsOf(planned);
      // The report says of capped line items that tags without an id do not show them.
      const tagOf = new Map(planned.pages.map((page) => [page.path, page.tag]));
      const withoutId = (place: string, banner: string): boolean =>
        caps.has(banner) && tagOf.get(place.slice(0, place.indexOf(' '))) !== 'async';
      // A banner that is missing at one of the times may have had no luck: such pages are shown more often, at both times.
      let compared = compare(before, after, said, withoutId);
      for (let round = 0; round < MAX_ROUNDS && compared.unsaid.length > 0; round++) {
        const paths = new Set(compared.unsaid.map((text) => text.slice(0, text.indexOf(' '))));
        tags.lead(revive.port);
        before = joinVisits(before, await visit(paths, false));
        tags.lead(replica.port);
        after = joinVisits(after, await visit(paths, false));
        compared = compare(before, after, said, withoutId);
        rig.say(`revive-move: ${paths.size} pages once more, ${compared.unsaid.length} differences`);
      }
      const left = [...said].filter(([, levels]) => levels.has('left_out')).length;
      const all = planned.plan.campaigns.flatMap(({ banners }) => banners).length;
      const worst = (found: Awaited<ReturnType<typeof shares>>): number => Math.max(...found.map(([share, of]) => worstShare(share, of)));
      const wrong = [
        ...faults,
        ...before.faults.map((text) => `with Revive: ${text}`),
        ...after.faults,
        ...revive.faults(),
        ...compared.unsaid,
        ...overCaps(after, caps),
        ...(records.campaigns === planned.plan.campaigns.length ? [] : [`${records.campaigns} campaigns were imported`]),
        ...(records.banners + left === all ? [] : [`${records.banners} banners were imported, and ${left} are in the report`]),
        ...(Math.max(worst(sharesBefore), worst(sharesAfter)) <= SHARE_TOLERANCE ? [] : ['shares are different']),
      ];
      const notes = (level: string): number => report.notes.filter((note) => note.level === level).length;
      return {
        ok: wrong.length === 0,
        observed:
          `Revive ${revive.version}, MariaDB ${revive.databaseVersion}: ${planned.plan.campaigns.length} campaigns and ${all} banners, of which ` +
          `${records.campaigns} and ${records.banners} were imported and ${left} banners left out (${notes('paused')} notes of what is paused, ` +
          `${notes('changed')} of differences); second import and diff: ${faults.length === 0 ? 'nothing' : 'not empty'}; ` +
          `${before.loads} and ${after.loads} loads of ${planned.pages.length} pages, ${compared.places} places: ${compared.before} banners seen before, ` +
          `${compared.common} of them after, ${compared.said} different as the report says, ${compared.unsaid.length} different and not said; ` +
          `${before.clicks} and ${after.clicks} clicks; ${caps.size} banners with caps, within them; shares of ${planned.shares.length} zones within ` +
          `${(100 * worst(sharesBefore)).toFixed(1)} and ${(100 * worst(sharesAfter)).toFixed(1)} points of what is booked` +
          (wrong.length > 0 ? `; ${wrong.length} faults: ${wrong.slice(0, 5).join('; ')}` : ''),
      };
    } finally {
      for (const close of closing.reverse()) await close();
    }
  },
};

interface Compared {
  readonly places: number;
  /** Of banners in places. */
  readonly before: number;
  readonly common: number;
  readonly said: number;
  readonly unsaid: readonly string[];
}

/** What places showed before and after. A banner that is shown at one of the times only has to be in the report. */
const compare = (
  before: Visited,
  after: Visited,
  said: ReadonlyMap<string, ReadonlySet<string>>,
  withoutId: (place: string, banner: string) => boolean,
): Compared => {
  const places = new Set([...before.seen.keys(), ...after.seen.keys()]);
  const unsaid: string[] = [];
  let [seenBefore, common, different] = [0, 0, 0];
  for (const place of places) {
    const [was, is] = [before.seen.get(place) ?? new Map<string, number>(), after.seen.get(place) ?? new Map<string, number>()];
    seenBefore += was.size;
    for (const banner of new Set([...was.keys(), ...is.keys()])) {
      if (was.has(banner) && is.has(banner)) {
        common++;
        continue;
      }
      const levels = said.get(banner) ?? new Set();
      // What was not shown before is shown by no note of a pause.
      const isSaid = was.has(banner) && (levels.has('paused') || levels.has('left_out') || withoutId(place, banner));
      if (isSaid) different++;
      else unsaid.push(`${place}: ${banner} was shown ${was.get(banner) ?? 0} times before and ${is.get(banner) ?? 0} times after`);
    }
  }
  return { places: places.size, before: seenBefore, common, said: different, unsaid };
};
