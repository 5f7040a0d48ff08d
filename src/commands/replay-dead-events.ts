import { parseArgs } from 'node:util';
import type { Knex } from 'knex';
import { runCommand } from '../base/run-command.ts';
import { withDatabase } from '../base/with-database.ts';
import { createDeadEvents } from '../events/postgres/dead-events.ts';
import { createEventStore } from '../events/postgres/event-store.ts';
import { createReplayToSink } from '../events/sinks/replay-to-sink.ts';
import { replayDeadEvents } from '../events/replay-dead-events.ts';
import { createPendingHits } from '../tracking/pending-hits.ts';

/**
 * `node dist/commands/replay-dead-events.js [--dry-run]`: stores the events of the dead-letter table
 * at DATABASE_URL again. See docs/operations.md.
 */
const main = async (): Promise<void> => {
  const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
  const connection = process.env['DATABASE_URL']?.trim();
  if (!connection) throw new Error('DATABASE_URL must name the database whose dead events are to be stored.');
  const replay = (knex: Knex) =>
    replayDeadEvents({
      deadEvents: createDeadEvents({ knex }),
      store: createEventStore({ knex }),
      restoreHit: createPendingHits({ knex }).restore,
      toSink: createReplayToSink(knex),
      dryRun: values['dry-run'],
    });
  const { stored, refused } = await withDatabase(connection, replay, 2);
  for (const { id, source, shard, entryId, reason } of refused) console.log(`  ${id}: ${source} ${entryId} of shard ${shard}: ${reason}`);
  console.log(
    values['dry-run'] ? `${refused.length} dead events` : `${stored} dead events were stored, ${refused.length} were refused again`,
  );
};

runCommand(main);
