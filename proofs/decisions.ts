import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { decisionSchema } from '../src/events/export/event-schema.ts';
import { book } from '../testkit/book.ts';
import { inParallel } from '../testkit/in-parallel.ts';
import { BUCKET_CREDENTIALS } from '../testkit/start-bucket.ts';
import type { Proof } from './rig/proof.ts';
import { openTargets, sinksOf } from './sinks/open-targets.ts';
import type { DecisionText } from './sinks/read-decisions.ts';

/** Every third one asks for a placement that does not exist: no ad. */
const UNSERVED = 3;

/** What is compared: the same in every sink. */
const textOf = (rows: readonly DecisionText[]): string =>
  rows
    .map(({ placement_id, outcome, token_id, line_item_id, offered }) => [placement_id, outcome, token_id, line_item_id, offered].join(' '))
    .sort()
    .join('\n');

/** Hands what was asked, offered and refused to every sink that this machine has. */
export const decisions: Proof = {
  name: 'decisions',
  needs: 'Java',
  claim:
    'with DECISION_SAMPLE=1 what was asked, offered and refused is handed to lines, a lake in a folder and one in a bucket, ClickHouse (chDB) and Kafka, as far as this machine has them',
  expected: 'each sink has each impression that was asked for once, with the token of its ad, and the same rows as the others',
  run: async (rig, scale) => {
    const wanted = scale.of(10_000, 600);
    const folder = await mkdtemp(path.join(tmpdir(), 'ad-server-decisions-'));
    const targets = await openTargets(folder);
    const fleet = await rig.fleet({ replicas: 1, env: { SINKS: sinksOf(targets), DECISION_SAMPLE: '1', ...BUCKET_CREDENTIALS } });
    try {
      const booking = await book(fleet.knex, { lineItems: [{}, {}] });
      await fleet.reload();
      let asked = 0;
      const shown: string[] = [];
      await inParallel(wanted, 8, async () => {
        const nth = asked++;
        const placementIds = nth % UNSERVED === 0 ? ['no-such-slot'] : [booking.placementId];
        const { bids } = await fleet.page.ask(booking, `user-${nth}`, { placementIds });
        for (const { cid, crid } of bids) shown.push(`${cid} ${crid}`);
      });
      // It writes what it has gathered.
      await fleet.replicas[0]!.stop();
      const found: { readonly name: string; readonly rows: readonly DecisionText[] }[] = [];
      for (const { name, decisions: read } of targets) found.push({ name, rows: await read() });
      const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(decisionSchema());
      const asJson = found.filter(({ name }) => name === 'lines' || name.startsWith('Kafka')).flatMap(({ rows }) => rows);
      const invalid = asJson.filter((row) => !isValid(row)).length;
      const first = textOf(found[0]!.rows);
      const differing = found.filter(({ rows }) => textOf(rows) !== first).map(({ name, rows }) => `${name} (${rows.length} rows)`);
      const served = found[0]!.rows.filter(({ outcome }) => outcome === 'served');
      const tokens = new Set(served.map(({ token_id }) => token_id));
      const ok =
        found[0]!.rows.length === wanted &&
        served.length === shown.length &&
        tokens.size === served.length &&
        !tokens.has(null) &&
        invalid === 0 &&
        differing.length === 0;
      return {
        observed: `${wanted} impressions asked for, ${shown.length} served; ${found.map(({ name, rows }) => `${name} ${rows.length}`).join(', ')} rows; ${tokens.size} tokens; ${invalid} not as the JSON Schema says${differing.length > 0 ? `; others than lines: ${differing.join(', ')}` : '; the same in each'}`,
        ok,
      };
    } finally {
      await fleet.close();
      for (const target of targets) await target.end();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
