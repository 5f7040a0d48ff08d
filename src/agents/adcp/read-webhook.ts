import { readBidderUrl } from '../../bidders/calls/read-bidder-url.ts';
import { isObject } from '../../base/narrow.ts';
import type { BuyWebhook } from '../../buys/media-buy-store.ts';
import { adcpFault, type AdcpFault } from './adcp-fault.ts';
import type { Seller } from './seller.ts';

export const WEBHOOK_PURPOSE = 'webhook of a media buy';

/** Where a buyer wants to hear of its task; undefined: nowhere. */
export const readWebhook = (config: unknown, seller: Seller): BuyWebhook | AdcpFault | undefined => {
  if (!isObject(config)) return undefined;
  const { url, authentication } = config;
  const at = 'push_notification_config';
  if (typeof url !== 'string' || typeof readBidderUrl(url, seller) === 'string')
    return adcpFault('INVALID_REQUEST', 'The address of the webhook must be https, and not of a private network.', { field: `${at}.url` });
  // Without one, callbacks would be signed by a key of this agent, which it does not have.
  const { schemes, credentials } = isObject(authentication) ? authentication : {};
  const [scheme] = Array.isArray(schemes) ? (schemes as readonly unknown[]) : [];
  if (typeof credentials !== 'string' || (scheme !== 'Bearer' && scheme !== 'HMAC-SHA256')) return undefined;
  if (!seller.secretBox.canSeal)
    return adcpFault('UNSUPPORTED_FEATURE', 'The operator has set no SEAL_KEYS, so that secrets of webhooks cannot be kept.', {
      field: at,
    });
  return { url, scheme, sealedSecret: seller.secretBox.seal(credentials, WEBHOOK_PURPOSE) };
};
