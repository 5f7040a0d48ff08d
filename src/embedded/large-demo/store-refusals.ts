import type { Knex } from 'knex';
import { dayOf, MS_PER_DAY, MS_PER_HOUR } from '../../base/utc-day.ts';
import { NoBidReason } from '../../decision/no-bid-reason.ts';
import { createRefusalStore } from '../../events/postgres/refusal-store.ts';
import type { RefusalCount } from '../../events/refusal-table.ts';
import { createChance } from './chance.ts';
import { isLiveOn, shareUntil, type StoredLineItem } from './history-rows.ts';

const REFUSED_HOURS = 26;
const COMPLAINTS = ['misleading', 'irrelevant', 'irrelevant', 'offensive', 'other'] as const;
const REPORTED_CREATIVES = 9;

/** Why the line items that run now lost impressions since yesterday, and complaints about a few creatives. */
export const storeRefusals = async (trx: Knex.Transaction, lineItems: readonly StoredLineItem[], nowMs: number): Promise<void> => {
  const chance = createChance(26_026);
  const live = lineItems.filter(isLiveOn(dayOf(nowMs))).filter(({ course }) => course !== 'paused');
  const winners = live.filter(({ course }) => course === 'on course' || course === 'ahead');
  const causes = live.map((item) => {
    const rivals = winners.filter(({ placementId, id }) => placementId === item.placementId && id !== item.id);
    return { item, rival: rivals.length > 0 ? chance.pick(rivals).id : 0, aDay: (item.goal / item.campaign.days) * chance.between(0.6, 2) };
  });
  const store = createRefusalStore({ knex: trx });
  const thisHourMs = nowMs - (nowMs % MS_PER_HOUR);
  for (let hourMs = thisHourMs - REFUSED_HOURS * MS_PER_HOUR; hourMs <= thisHourMs; hourMs += MS_PER_HOUR) {
    const ms = hourMs % MS_PER_DAY;
    const share = shareUntil(ms + MS_PER_HOUR) - shareUntil(ms);
    const counts = causes.flatMap(({ item, rival, aDay }) => {
      const refused = (reason: number, outrankedBy: number, ofAll: number): RefusalCount => ({
        ...{ lineItemId: item.id, reason, outrankedBy, impressions: Math.ceil(aDay * share * ofAll) },
      });
      if (item.course === 'pending') return [];
      if (item.course === 'outranked') return [refused(0, rival, 3)];
      const behind = item.course === 'behind' ? 4 : 0.4;
      return [refused(0, rival, behind), refused(NoBidReason.Pacing, 0, 0.8), refused(NoBidReason.FrequencyCapped, 0, 0.1)];
    });
    await store.add(hourMs, counts);
  }
  const reported = Array.from({ length: REPORTED_CREATIVES }, () => chance.pick(winners));
  await trx('reports').insert(
    reported.flatMap(({ id, publisherId, creativeIds }, n) =>
      Array.from({ length: chance.whole(1, 4) }, (_, i) => ({
        ...{ jti: `demo-${n}-${i}`, publisher_id: publisherId, line_item_id: id, creative_id: creativeIds[0], first_of_client: true },
        ...{ reason: chance.pick(COMPLAINTS), created_at: new Date(nowMs - chance.between(0, 6 * MS_PER_DAY)) },
      })),
    ),
  );
};
