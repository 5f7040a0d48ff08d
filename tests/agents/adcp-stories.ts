import type { Storyboard } from '@adcp/sdk/testing';

/** Stories of `@adcp/sdk` for sellers of media that apply, and pass. */
export const APPLY: readonly string[] = [
  ...['capability_discovery', 'v3_envelope_integrity', 'schema_validation', 'error_compliance', 'idempotency', 'security_baseline'],
  ...['media_buy_seller', 'media_buy_state_machine', 'get_media_buys_pagination_integrity', 'pagination_integrity_list_accounts'],
  ...['media_buy_seller/invalid_transitions', 'media_buy_seller/pending_creatives_to_start', 'media_buy_seller/refine_products'],
  ...['media_buy_seller/creative_fate_after_cancellation', 'sales_non_guaranteed'],
];

const CONTROLLER = 'needs comply_test_controller, which would make records and deliveries that did not happen';
const GOVERNANCE = 'needs governance agents, which are not called';

/** Why others do not apply. */
export const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  deterministic_testing: CONTROLLER,
  'media_buy_seller/create_media_buy_async': `${CONTROLLER}; sales_guaranteed shows the same with a person who approves`,
  'media_buy_seller/delivery_reporting': CONTROLLER,
  pagination_integrity: `${CONTROLLER}; pages of list_creatives are cut as those of list_accounts`,
  pagination_integrity_creative_formats: `${CONTROLLER}; formats are those that placements take`,
  pagination_integrity_collection_lists: 'collection lists are not kept',
  pagination_integrity_content_standards: 'content standards are not kept',
  pagination_integrity_property_lists: 'property lists are not kept',
  'media_buy_seller/inventory_list_targeting': 'property and collection lists are not fetched: a purchase by them is refused',
  'media_buy_seller/inventory_list_no_match': 'the same; the story takes the refusal for a fault where lists are not supported',
  'media_buy_seller/measurement_terms_rejected': 'no terms of measurement are agreed to, not even the mild ones of its second half',
  'media_buy_seller/governance_approved': GOVERNANCE,
  'media_buy_seller/governance_conditions': GOVERNANCE,
  'media_buy_seller/governance_denied': GOVERNANCE,
  'media_buy_seller/governance_denied_recovery': GOVERNANCE,
  media_buy_governance_escalation: GOVERNANCE,
  governance_aware_seller: GOVERNANCE,
  'media_buy_seller/proposal_finalize': 'proposals are not made: products are bought as they are',
  sales_proposal_mode: 'proposals are not made: products are bought as they are',
  sales_broadcast_tv: 'no broadcast is sold',
  sales_catalog_driven: 'no catalogs of goods are kept',
  sales_social: 'no audiences and catalogs are kept',
  'creative_generative/seller': 'creatives are not generated',
  brand_rights: 'no rights of brands are sold',
  signed_requests: 'requests are authenticated by tokens',
  webhook_emission: 'webhooks are signed with the credentials of the buyer; it asks for signatures by a key of the seller',
};

/** What a story seeds by its controller, or leaves to the seller, and what the replica has in its place. */
const OURS: Readonly<Record<string, string>> = {
  ...{ 'test-product': 'display-top', 'test-pricing': 'cpm_fixed' },
  ...{ cpm_guaranteed: 'cpm_fixed', cpm_standard: 'cpm_fixed', cpm_guaranteed_fixed: 'cpm_fixed' },
};

/** The year of the stories is this one, and the runner moves what is in the past to a moment that differs from call to call. */
const NEXT_YEAR = new Date().getUTCFullYear() + 1;
const ours = (value: string): string => OURS[value] ?? value.replace(/^2026-(?=\d\d-\d\dT)/, `${NEXT_YEAR}-`);
/** A story with ids that the replica has, and flights that are to come. */
export const withOurs = (story: Storyboard): Storyboard =>
  JSON.parse(JSON.stringify(story), (_, value: unknown) => (typeof value === 'string' ? ours(value) : value)) as Storyboard;
