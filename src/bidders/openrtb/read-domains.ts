import { domainToASCII } from 'node:url';
import { asList } from './json-fields.ts';

const MAX_DOMAINS = 10;
/** RFC 1035, section 2.3.4. */
const MAX_DOMAIN_LENGTH = 253;
/** At least two labels; the last one is not a number, so that no address passes. */
const DOMAIN = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+(?!\d+$)[a-z\d](?:[a-z\d-]{0,61}[a-z\d])$/;

/**
 * Advertiser domains (`adomain`, `badv`), in lower case and ASCII, each once. What is not a domain
 * is dropped: they are shown to staff and passed on to pages and bidders.
 */
export const readDomains = (value: unknown, max = MAX_DOMAINS): readonly string[] => [
  ...new Set((asList(value) ?? []).slice(0, max).flatMap((domain) => normalDomain(domain) ?? [])),
];

const normalDomain = (value: unknown): string | undefined => {
  // domainToASCII reads the host of more than a host: `brand.example/path`.
  if (typeof value !== 'string' || value.length > MAX_DOMAIN_LENGTH || /[^\p{L}\p{M}\p{N}.\s-]/u.test(value)) return undefined;
  const domain = domainToASCII(value.trim()).replace(/\.$/, '');
  return domain.length <= MAX_DOMAIN_LENGTH && DOMAIN.test(domain) ? domain : undefined;
};
