import type { Knex } from 'knex';
import type { Fault } from '../base/fault.ts';
import type { EntityKind, EntityRecord } from './entity-kind.ts';

/** A fault when another placement answers the tags of the zone already. The caller holds the lock of the catalog. */
export const takenZone = async (
  trx: Knex.Transaction,
  { table }: EntityKind,
  { revive_zone_id: zone, publisher_id: publisher }: EntityRecord,
  before: EntityRecord | undefined,
): Promise<readonly Fault[]> => {
  if (table !== 'placements' || typeof zone !== 'number') return [];
  const refusal = (detail: string): readonly Fault[] => [{ pointer: '/revive_zone_id', detail }];
  if (publisher === null) return refusal('is for a placement of a publisher: its tags do not say whose page it is');
  const others = trx('placements').where({ revive_zone_id: zone });
  const [other] = await (before ? others.whereNot({ id: before['id'] as string }) : others).limit(1).pluck<string[]>('id');
  return other === undefined ? [] : refusal('is the zone of another placement: tags of two installations cannot have one address');
};
