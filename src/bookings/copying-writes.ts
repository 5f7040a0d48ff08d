import type { Knex } from 'knex';
import type { Caller } from '../access/caller.ts';
import type { CopyOptions } from './copy-record.ts';
import { duplicateCampaign } from './duplicate-campaign.ts';
import type { EntityRecord } from './entity-kind.ts';
import { makeGood } from './make-good.ts';
import type { Written } from './written.ts';

/** Writes that create records from others. */
export interface CopyingWriter<Target> {
  /** Of a campaign; see duplicateCampaign. */
  duplicate(target: Target): Promise<Written>;
  /** Of a line item; see makeGood. */
  makeGood(target: Target): Promise<Written>;
}

type Change<Target> = (target: Target, work: (trx: Knex.Transaction, before: EntityRecord) => Promise<Written>) => Promise<Written>;

/** @param createIn creates records within the transaction of the write */
export const copyingWrites = <Target extends { readonly caller: Caller }>(
  change: Change<Target>,
  createIn: (trx: Knex.Transaction) => CopyOptions['create'],
): CopyingWriter<Target> => {
  const options = (trx: Knex.Transaction): CopyOptions => ({ knex: trx, create: createIn(trx) });
  return {
    duplicate: (target) => change(target, (trx, before) => duplicateCampaign(options(trx), before, target.caller)),
    makeGood: (target) => change(target, (trx, before) => makeGood(options(trx), before, target.caller, Date.now())),
  };
};
