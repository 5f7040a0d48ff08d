import { tell, type Arguments } from '../tool.ts';
import { adcpFault, isFault } from './adcp-fault.ts';
import { accountOf, showAccount } from './buyer.ts';
import { pageOf } from './page-of.ts';
import type { BuyerTool } from './seller.ts';

export const listAccounts: BuyerTool = async (given, { seller, buyer }) => {
  const { page, pagination } = pageOf(buyer.accounts, given['pagination']);
  return Promise.resolve(tell({ accounts: page.map((one) => showAccount(one, seller.isSandbox)), pagination }));
};

/** Accounts are advertisers that staff have made: one that a token buys for is found, and no other is made. */
export const syncAccounts: BuyerTool = async (given, { seller, buyer }) => {
  const accounts = (given['accounts'] as readonly Arguments[]).map(({ brand, operator, sandbox }) => {
    const found = accountOf(buyer, { brand, sandbox }, seller.isSandbox);
    if (!isFault(found)) return { ...showAccount(found, seller.isSandbox), brand, operator, action: 'unchanged' };
    const words = 'Ask the publisher to add this advertiser to your token.';
    return {
      ...{ brand, operator, action: 'failed', status: 'rejected' },
      errors: [adcpFault('ACCOUNT_SETUP_REQUIRED', `${found.message} ${words}`)],
    };
  });
  return Promise.resolve(tell({ accounts }));
};
