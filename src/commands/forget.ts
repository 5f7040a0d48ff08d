import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Knex } from 'knex';
import { runCommand } from '../base/run-command.ts';
import { MS_PER_MINUTE } from '../base/utc-day.ts';
import { userHash, userKeyOf } from '../context/user-hash.ts';
import { eventsStored } from '../events/events-stored.ts';
import { openSinksOfEnvironment } from '../events/sinks/replay-to-sink.ts';
import { forgetInSinks } from '../events/sinks/report-sinks.ts';
import { createForgetUser, type Pseudonym } from '../events/forget-user.ts';
import { samplePseudonym } from '../forecast/sample/sampled-request.ts';
import { forgetSampled } from '../forecast/sample/sample-store.ts';
import { ACTIVITY_RULE } from '../ledger/settle/activity-rule.ts';
import { CLICK_TIMES } from '../ledger/settle/click-times.ts';
import { claimRedis } from '../replica/claim-redis.ts';
import { withStores } from '../replica/with-stores.ts';

const OPTIONS = { user: { type: 'string' }, wait: { type: 'boolean', default: false } } as const;

/** For clicks that wait for their impression or are judged later, the difference of clocks, and hits on their way. */
const MARGIN_MS = CLICK_TIMES.windowMs + ACTIVITY_RULE.judgeAfterMs + MS_PER_MINUTE;

/**
 * `node dist/commands/forget.js --user ID [--wait]`: erases what is stored of the user whom publishers
 * send as `user.id` ID, at every publisher and under every key of USER_KEYS. See docs/operations.md.
 */
const main = async (): Promise<void> => {
  const { values } = parseArgs({ options: OPTIONS });
  const { user, wait } = values;
  if (user === undefined || user === '') throw new Error('--user must be the user.id that the publisher sends.');
  await withStores('to erase from', async (stores, settings) => {
    const { knex, backgroundRedis: redis, keys } = stores;
    await claimRedis(stores);
    const userKeys = [...settings.userKeys.map(({ secret }) => userKeyOf(secret)), await databaseKey(knex)];
    const pseudonyms = (await publisherIds(knex)).flatMap((publisherId) =>
      userKeys.map((key): Pseudonym => ({ publisherId, userHash: userHash(key, publisherId, user) })),
    );
    const sampleKey = await databaseKey(knex);
    const visitors = pseudonyms.map(({ publisherId, userHash: visitor }) => samplePseudonym(sampleKey, publisherId, visitor));
    const sinks = await openSinksOfEnvironment();
    const forget = createForgetUser({ knex, redis, keys });
    const eraseOnce = async (): Promise<void> => {
      await eventsStored(redis, keys, (shard) => stores.backgroundLink.nowMs(shard));
      const { places, events, pendingHits, deadEvents } = await forget(pseudonyms);
      const sampled = await forgetSampled(knex, visitors);
      console.log(
        `erased: ${places} users in Redis; the user in ${events} events, ${pendingHits} pending hits, ${deadEvents} dead events, ${sampled} sampled requests`,
      );
      const hashes = pseudonyms.map(({ userHash: hash }) => hash);
      for await (const line of forgetInSinks(sinks, hashes)) console.log(line);
    };
    await eraseOnce();
    const endMs = Date.now() + settings.tokenTtlMs + MARGIN_MS;
    const end = new Date(endMs).toISOString();
    if (!wait) console.log(`Ads served until now can name the user again until ${end}: repeat the command then, or use --wait.`);
    else {
      console.log(`waiting until ${end}, when every token of the user has ended`);
      await sleep(endMs - Date.now());
      await eraseOnce();
    }
    await Promise.allSettled(sinks.map(({ sink }) => sink.close()));
  });
};

const databaseKey = async (knex: Knex): Promise<string> => {
  const row = await knex('instance').first<{ user_hash_key: Buffer }>('user_hash_key');
  return row.user_hash_key.toString('hex');
};

/** Those whose publisher was deleted too. */
const publisherIds = async (knex: Knex): Promise<readonly number[]> => {
  const { rows } = await knex.raw<{ rows: { id: number }[] }>(
    'select id from publishers union select distinct publisher_id from daily_counts',
  );
  return rows.map(({ id }) => id);
};

runCommand(main);
