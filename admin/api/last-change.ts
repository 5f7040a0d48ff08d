import type { AuditRow } from '../../src/bookings/audit-api.ts';
import type { Api } from './api.ts';
import type { Kind } from './wire.ts';
import { actorName } from '../words/actor-name.ts';
import { t } from '../words/texts.ts';

/** Who changed a record last, and when. */
export type LastChange = Pick<AuditRow, 'actor' | 'at'>;

/** undefined: the history cannot be read. */
export const readLastChange = async (api: Api, kind: Kind, id: string | number): Promise<LastChange | undefined> => {
  const changes = await api.get('/audit', { entity: kind.slice(0, -1), entity_id: id, limit: 10 });
  // What is shared and said of it does not change it.
  return changes.ok ? changes.value.find(({ action }) => !action.endsWith('_proof')) : undefined;
};

/** The author of a change where people do not sign in. */
const ANONYMOUS = 'anonymous';

/** The author at the beginning of a sentence. */
export const authorOf = (change: LastChange | undefined): string =>
  change && change.actor !== ANONYMOUS ? actorName(change.actor) : t`Someone else`;
