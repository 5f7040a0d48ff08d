import { isObject } from '../../base/narrow.ts';
import { sellerIdOf, type SellerNode } from '../../catalog/model/seller-node.ts';
import type { PublisherSupply } from '../../catalog/postgres/read-supply.ts';

/** An entry of sellers.json 1.0 (IAB Tech Lab): who is paid at an account. */
export interface Seller {
  readonly seller_id: string;
  readonly name: string;
  /** Lower case. */
  readonly domain: string;
  readonly seller_type: 'PUBLISHER' | 'INTERMEDIARY';
}

/** Whether the publisher itself is paid at the node. */
export const isPublisher = ({ domain }: SellerNode, publisher: Pick<PublisherSupply, 'domain'>): boolean =>
  domain === null || domain.toLowerCase() === publisher.domain;

/** The sellers of each advertising system, by its domain. */
export const sellersOf = (supplies: readonly PublisherSupply[]): ReadonlyMap<string, readonly Seller[]> => {
  const systems = new Map<string, Map<string, Seller>>();
  for (const publisher of supplies) {
    for (const { schain } of publisher.bidders) {
      if (schain === null) continue;
      const seller = sellerOf(schain, publisher);
      const sellers = systems.get(schain.asi) ?? new Map<string, Seller>();
      systems.set(schain.asi, sellers);
      sellers.set(JSON.stringify(seller), seller);
    }
  }
  return new Map(Array.from(systems, ([asi, sellers]) => [asi, [...sellers.values()]]));
};

const sellerOf = (node: SellerNode, publisher: PublisherSupply): Seller => ({
  seller_id: sellerIdOf(node, publisher.id),
  name: node.name ?? publisher.name,
  domain: (node.domain ?? publisher.domain).toLowerCase(),
  seller_type: isPublisher(node, publisher) ? 'PUBLISHER' : 'INTERMEDIARY',
});

/** Accounts of which two companies would be paid. */
export const ambiguousSellers = (sellers: readonly Seller[]): readonly string[] => {
  return [...new Set(sellers.map(({ seller_id }) => seller_id))].flatMap((id) => {
    const same = sellers.filter(({ seller_id }) => seller_id === id);
    if (same.length < 2) return [];
    const names = same.map(({ name, domain }) => `${name} (${domain})`).join(' and ');
    return [`${id} is ${names}: write \${PUBLISHER_ID} into schain_sid, or name who is paid in schain_name and schain_domain`];
  });
};

/** What is missing or different in the sellers.json that a system serves. */
export const sellersJsonFaults = (expected: readonly Seller[], served: unknown): readonly string[] => {
  const given = isObject(served) ? served['sellers'] : undefined;
  if (!Array.isArray(given)) return ['is not a sellers.json: it has no list "sellers"'];
  const byId = new Map(given.filter(isObject).map((seller) => [String(seller['seller_id']), seller]));
  return expected.flatMap((seller) => sellerFaults(seller, byId.get(seller.seller_id)));
};

const sellerFaults = (seller: Seller, found: Readonly<Record<string, unknown>> | undefined): readonly string[] => {
  const { seller_id: id, name, domain, seller_type: type } = seller;
  if (found === undefined) return [`lacks: ${id}, ${name} (${domain}), ${type}`];
  const textOf = (field: string): string => (typeof found[field] === 'string' ? found[field] : '');
  const isType = [type, 'BOTH'].includes(textOf('seller_type').toUpperCase());
  return [
    ...(isType ? [] : [`${id} has the type ${textOf('seller_type')} in place of ${type}`]),
    ...(found['is_confidential'] === 1 || textOf('domain').toLowerCase() === domain
      ? []
      : [`${id} has the domain ${textOf('domain')} in place of ${domain}`]),
  ];
};
