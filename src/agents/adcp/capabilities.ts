import { REPLAY_SECONDS } from './call-once.ts';

export const MAJOR_VERSIONS = [3];

/** What this seller understands of the protocol. */
export const capabilities = ({ isSandbox }: { readonly isSandbox: boolean }) => ({
  adcp: { major_versions: MAJOR_VERSIONS, idempotency: { supported: true, replay_ttl_seconds: REPLAY_SECONDS } },
  supported_protocols: ['media_buy'],
  account: { require_operator_auth: true, supported_billing: ['operator'], required_for_products: false, sandbox: isSandbox },
  media_buy: {
    supported_pricing_models: ['cpm'],
    features: { inline_creative_management: false, property_list_filtering: false, content_standards: false },
    execution: { targeting: { geo_countries: true, geo_regions: true, language: true } },
  },
});
