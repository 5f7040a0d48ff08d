import type { Stage } from './create-rig.ts';

/** Serves by line item, as the ledger counts them. */
export const servesOf = async ({ redis }: Stage): Promise<ReadonlyMap<number, number>> => {
  const serves = new Map<number, number>();
  for (const key of await redis.keys('ads:*:serves'))
    for (const [field, count] of Object.entries(await redis.hgetall(key))) {
      const lineItem = Number(field.split(':')[3]);
      serves.set(lineItem, (serves.get(lineItem) ?? 0) + Number(count));
    }
  return serves;
};
