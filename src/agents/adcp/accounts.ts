import { isObject } from '../../base/narrow.ts';
import { tell, type Arguments } from '../tool.ts';
import { adcpFault, isFault } from './adcp-fault.ts';
import { accountOf, showAccount } from './buyer.ts';
import type { BuyerTool } from './seller.ts';

export const listAccounts: BuyerTool = async (given, { seller, buyer }) => {
  const { brand } = given;
  const domain = isObject(brand) ? brand['domain'] : undefined;
  const found = buyer.accounts.filter((one) => domain === undefined || one.domain === domain);
  return Promise.resolve(tell({ accounts: found.map((one) => showAccount(one, seller.isSandbox)), pagination: { has_more: false } }));
};

/** Accounts are advertisers that staff have made: one that a token buys for is found, and no other is made. */
export const syncAccounts: BuyerTool = async (given, { seller, buyer }) => {
  const accounts = (given['accounts'] as readonly Arguments[]).map(({ brand, operator, sandbox }) => {
    const found = accountOf(buyer, { brand, sandbox }, seller.isSandbox);
    if (!isFault(found)) return { ...showAccount(found, seller.isSandbox), brand, operator, action: 'unchanged' };
    const words = 'Ask the publisher to add this advertiser to your token.';
    return { ...{ brand, operator, action: 'failed', status: 'rejected' }, errors: [adcpFault('ACCOUNT_SETUP_REQUIRED', `${found.message} ${words}`)] };
  });
  return Promise.resolve(tell({ accounts }));
};
