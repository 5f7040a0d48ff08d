import { createHash } from 'node:crypto';
import type { EntityRecord } from './entity-kind.ts';

/** A strong validator of a record (RFC 9110, section 8.8.3): it changes when the record does. */
export const entityTag = (record: EntityRecord): string =>
  `"${createHash('sha256').update(JSON.stringify(record)).digest('base64url').slice(0, 22)}"`;

/** Whether an If-Match header (RFC 9110, section 13.1.1) permits a change; without one, it does. */
export const matchesTag = (ifMatch: string | undefined, record: EntityRecord): boolean =>
  ifMatch === undefined || ifMatch.trim() === '*' || ifMatch.split(',').some((tag) => tag.trim() === entityTag(record));
