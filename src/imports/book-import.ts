import type { Knex } from 'knex';
import type { Caller } from '../access/caller.ts';
import { changedBy, recordChange } from '../bookings/audit-trail.ts';
import type { CatalogWriter } from '../bookings/catalog-writer.ts';
import { refused, type Written } from '../bookings/written.ts';
import { applyDeclaration, type Plan } from '../declarations/apply-declaration.ts';
import { declaredPublisher } from '../declarations/export-declaration.ts';
import { readLines } from '../declarations/read-entries.ts';
import type { DimensionSchema } from '../targeting/dimension-schema.ts';
import { storeAsset, type NewAsset } from '../uploads/asset-store.ts';
import { readPicture } from '../uploads/read-picture.ts';
import type { SourceFault } from './import-fault.ts';
import type { ImportContent } from './import-store.ts';
import { placeName } from './imported.ts';
import type { ReadFile } from './read-import.ts';

export interface BookImportOptions {
  readonly knex: Knex;
  readonly writer: CatalogWriter;
  readonly dimensions: DimensionSchema;
  /** Bytes of uploaded files that a publisher may have. */
  readonly maxStoredBytes: number;
}

export interface BookedImport {
  readonly content: ImportContent;
  readonly files: readonly ReadFile[];
  /** undefined: the import makes one, or names it by its key. */
  readonly publisherId: number | undefined;
  readonly caller: Caller;
  /** Of the plan that is applied; undefined: any. */
  readonly ifState: string | undefined;
}

export type BookOutcome =
  | { readonly kind: 'booked'; readonly plan: Plan }
  | { readonly kind: 'stale' }
  /** A picture does not fit. */
  | { readonly kind: 'full'; readonly fault: string }
  | { readonly kind: 'refused'; readonly faults: readonly SourceFault[]; readonly needsApproval: boolean };

/** What takes part in the transaction of an import that is applied. Resolves to false where nothing is to be booked: the import is stale. */
export type WithBooked = (trx: Knex.Transaction, plan: Plan) => Promise<boolean>;

/** Books an import in one transaction; without `also` it is only tried out. Rejects when Postgres is away. */
export type BookImport = (wanted: BookedImport, also?: WithBooked) => Promise<BookOutcome>;

const NOT_BOOKED = refused('invalid');

export const createBookImport =
  ({ knex, writer, dimensions, maxStoredBytes }: BookImportOptions): BookImport =>
  async ({ content, files, publisherId, caller, ifState }, also) => {
    const publisher = publisherId === undefined ? content.publisher : await declaredPublisher(knex, publisherId);
    const text = [JSON.stringify({ publisher: publisher ?? {} }), ...content.lines.map((line) => line.text)].join('\n');
    const { entries, faults: unread } = await readLines(Buffer.from(text));
    const placeOf = createPlaceOf(content);
    if (unread.length > 0) return { kind: 'refused', faults: unread.map(placeOf), needsApproval: false };
    let outcome: BookOutcome | undefined;
    await (also ? writer.together : writer.tryOut)(async (records, trx): Promise<readonly Written[]> => {
      const stored = await storePictures(trx, files, { publisherId: publisherId ?? null, maxStoredBytes, caller });
      if ('fault' in stored) {
        outcome = { kind: 'full', fault: stored.fault };
        return [NOT_BOOKED];
      }
      const plan = await applyDeclaration(records, trx, { entries, publisherId, caller, prune: false, ifState, dimensions });
      const refusals = plan.written.flatMap((one) => (one.ok ? [] : [one.refusal]));
      if (refusals.includes('stale')) outcome = { kind: 'stale' };
      else if (plan.faults.length > 0 || refusals.length > 0) {
        const needsApproval = refusals.length > 0 && refusals.every((one) => one === 'approval_required');
        outcome = { kind: 'refused', faults: plan.faults.map(placeOf), needsApproval };
      } else {
        if (publisherId === undefined && stored.isNew.length > 0)
          await trx('assets')
            .whereIn('sha256', stored.isNew)
            .update({ publisher_id: plan.publisherId ?? null });
        if (!also || (await also(trx, plan))) {
          outcome = { kind: 'booked', plan };
          return plan.written;
        }
        outcome = { kind: 'stale' };
      }
      return [...plan.written, NOT_BOOKED];
    });
    return outcome!;
  };

const storePictures = async (
  trx: Knex.Transaction,
  files: readonly ReadFile[],
  { publisherId, maxStoredBytes, caller }: Pick<NewAsset, 'publisherId' | 'maxStoredBytes'> & Pick<BookedImport, 'caller'>,
): Promise<{ readonly isNew: readonly string[] } | { readonly fault: string }> => {
  const isNew: string[] = [];
  for (const { sha256, name, bytes } of files) {
    const picture = await readPicture(Buffer.from(bytes), sha256);
    if ('fault' in picture) return { fault: `The picture ${name} ${picture.fault}.` };
    const outcome = await storeAsset(trx, { asset: picture.asset, publisherId, name, maxStoredBytes, tellsFree: true });
    if ('fault' in outcome) return { fault: `The picture ${name} ${outcome.fault}.` };
    if (!outcome.isNew) continue;
    isNew.push(sha256);
    const { type, bytes: size } = picture.asset;
    await recordChange(trx, {
      ...{ ...changedBy(caller), action: 'create', entity: 'asset', entityId: sha256 },
      ...{ before: null, after: { sha256, publisher_id: publisherId, name, type, bytes: size } },
    });
  }
  return { isNew };
};

/** Where a fault of the declaration is in the file: its pointer begins with the number of a line, the first being the publisher's. */
const createPlaceOf =
  ({ lines, places }: ImportContent) =>
  ({ pointer, detail }: { readonly pointer: string; readonly detail: string }): SourceFault => {
    const [, number = '', , field = ''] = pointer.split('/');
    const line = lines[Number(number) - 1];
    if (number === '' || !line) return { place: number === '0' ? 'publisher' : '', detail: field === '' ? detail : `${field} ${detail}` };
    const cells = places[placeName(line.kind, line.key)];
    const cell = cells?.[field];
    if (cell !== undefined) return { place: cell, detail };
    // `revive:banner:103` is banner 103 of the source.
    const [, kind = line.kind, ...name] = line.key.split(':');
    const place = cells?.[''] ?? `${kind.replaceAll('_', ' ')} ${name.join(':')}`;
    return { place, detail: field === '' ? detail : `${field.replaceAll('_', ' ')} ${detail}` };
  };
