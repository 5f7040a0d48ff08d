import type { Knex } from 'knex';
import type { Caller } from '../../access/caller.ts';
import { isObject } from '../../base/narrow.ts';
import type { Rate } from '../../catalog/model/rate-card.ts';
import { adcpFault, type AdcpFault } from './adcp-fault.ts';

/** For whom a token buys, and at which publisher. */
export interface Buyer {
  readonly caller: Caller;
  readonly publisher: SellingPublisher;
  readonly accounts: readonly Account[];
}

export interface SellingPublisher {
  readonly id: number;
  readonly name: string;
  readonly domain: string;
  readonly currency: string;
  readonly time_zone: string;
  readonly rate_card: readonly Rate[];
}

/** An advertiser. */
export interface Account {
  readonly id: number;
  readonly name: string;
  readonly domain: string | null;
}

const MAX_ACCOUNTS = 1_000;

/** Rejects when Postgres is unavailable. */
export const readBuyer = async (knex: Knex, caller: Caller): Promise<Buyer | AdcpFault> => {
  const publishers = knex('publishers').where({ archived: false }).orderBy('id').limit(2);
  if (caller.publishers) void publishers.whereIn('id', [...caller.publishers]);
  const [publisher, other] = await publishers.select<SellingPublisher[]>('id', 'name', 'domain', 'currency', 'time_zone', 'rate_card');
  if (!publisher || other)
    return adcpFault('ACCOUNT_SETUP_REQUIRED', 'A token buys from one publisher, and this one has access to several or to none.', {
      suggestion: 'Ask the publisher for a token with the role buyer for it alone.',
    });
  const accounts = knex('advertisers').where({ archived: false }).orderBy('id').limit(MAX_ACCOUNTS);
  if (caller.advertisers) void accounts.whereIn('id', [...caller.advertisers]);
  return { caller, publisher, accounts: await accounts.select<Account[]>('id', 'name', 'domain') };
};

/** The account that a call names by its id or by its brand; without either, the only one. */
export const accountOf = ({ accounts }: Buyer, given: unknown, takesSandbox: boolean): Account | AdcpFault => {
  const { account_id: id, brand, sandbox } = isObject(given) ? given : {};
  const field = 'account';
  if (sandbox === true && !takesSandbox)
    return adcpFault('ACCOUNT_NOT_FOUND', 'There are no test accounts here: what is bought runs and is billed.', { field });
  const domain = isObject(brand) && typeof brand['domain'] === 'string' ? brand['domain'].toLowerCase() : undefined;
  const found = accounts.filter((one) =>
    id !== undefined ? String(one.id) === id : domain === undefined || one.domain?.toLowerCase() === domain,
  );
  const [account, other] = found;
  if (!account)
    return adcpFault('ACCOUNT_NOT_FOUND', 'This token buys for no account with this id or brand: see list_accounts.', { field });
  if (other) return adcpFault('ACCOUNT_AMBIGUOUS', 'This token buys for several such accounts: name one by its account_id.', { field });
  return account;
};

export const showAccount = ({ id, name }: Account, isSandbox: boolean) => ({
  ...{ account_id: String(id), name, status: 'active', account_scope: 'brand', billing: 'operator' },
  ...(isSandbox && { sandbox: true }),
});
