import { parseArgs } from 'node:util';
import { parseUrl } from '../base/parse-url.ts';
import { dayNamed, runCommand } from '../base/run-command.ts';
import { dateOfDay, dayOf } from '../base/utc-day.ts';
import { compactDay } from '../events/sinks/lake/compact-lake.ts';
import { lakeDays } from '../events/sinks/lake/lake-log.ts';
import { openLakeStore } from '../events/sinks/lake/open-lake.ts';

const OPTIONS = { day: { type: 'string' }, lake: { type: 'string' } } as const;

/** Of days that end later than UTC's and of hits that come late. */
const OPEN_DAYS = 2;

/**
 * `node dist/commands/compact-lake.js --lake URL [--day 2026-11-20]`: writes the small files of every day that has ended, or of
 * one, again as few. Once a day is enough. See docs/sinks/lake.md.
 */
const main = async (): Promise<void> => {
  const { values } = parseArgs({ options: OPTIONS });
  const { day, lake = '' } = values;
  if (day !== undefined) dayNamed('--day', day);
  const url = parseUrl(lake);
  if (!url) throw new Error('--lake must be the URL of a lake, as in SINKS.');
  const store = await openLakeStore(url);
  const nowMs = Date.now();
  const open = dateOfDay(dayOf(nowMs) - OPEN_DAYS + 1);
  try {
    for (const one of day === undefined ? (await lakeDays(store)).filter((known) => known < open) : [day]) {
      const { before, after, removed } = await compactDay(store, one, nowMs);
      if (before !== after || removed > 0)
        process.stderr.write(`${one}: ${before} files are ${after}; ${removed} replaced ones were removed\n`);
    }
  } finally {
    store.close();
  }
};

runCommand(main);
