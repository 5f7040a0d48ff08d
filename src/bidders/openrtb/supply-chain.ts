import { sellerIdOf, type SellerNode } from '../../catalog/model/seller-node.ts';
import { asList, asObject } from './json-fields.ts';

/** `source.schain` (OpenRTB 2.6, 3.2.25): the sellers that are paid, from the publisher's own on. */
export interface SupplyChain {
  readonly complete: 0 | 1;
  readonly ver: '1.0';
  readonly nodes: readonly SupplyChainNode[];
}

export interface SupplyChainNode {
  readonly asi: string;
  readonly sid: string;
  readonly hp: 1;
  readonly rid?: string;
  readonly name?: string;
  readonly domain?: string;
}

const MAX_NODES = 20;
const MAX_TEXT_LENGTH = 253;
/** OpenRTB 2.6, 3.2.26. */
const MAX_SELLER_ID_LENGTH = 64;

/**
 * The chain of a request; undefined: none. It is not complete when some of its nodes cannot be read,
 * or when there are too many.
 */
export const readSupplyChain = (value: unknown): SupplyChain | undefined => {
  const chain = asObject(value);
  const given = asList(chain?.['nodes']);
  if (chain === null || given === null || given.length === 0) return undefined;
  const nodes = given.slice(0, MAX_NODES).flatMap(readNode);
  return { complete: chain['complete'] === 1 && nodes.length === given.length ? 1 : 0, ver: '1.0', nodes };
};

const readNode = (value: unknown): readonly SupplyChainNode[] => {
  const node = asObject(value) ?? {};
  const asi = readText(node['asi'], MAX_TEXT_LENGTH);
  const sid = readText(node['sid'], MAX_SELLER_ID_LENGTH);
  if (asi === undefined || sid === undefined) return [];
  const optional = (['rid', 'name', 'domain'] as const).flatMap((field) => {
    const text = readText(node[field], MAX_TEXT_LENGTH);
    return text === undefined ? [] : [[field, text] as const];
  });
  return [{ asi, sid, hp: 1, ...Object.fromEntries(optional) }];
};

/** Whole or not at all: a shortened id is another seller's. */
const readText = (value: unknown, maxLength: number): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= maxLength ? value : undefined;

/**
 * The chain for a bidder; undefined: none. This service adds its node where it is paid for what the
 * bidder buys (OpenRTB 2.6, 3.2.25).
 */
export const chainFor = (
  received: SupplyChain | undefined,
  own: SellerNode | null,
  request: { readonly id: string; readonly publisherId: number },
): SupplyChain | undefined =>
  own === null ? received : { complete: received?.complete ?? 1, ver: '1.0', nodes: [...(received?.nodes ?? []), ownNode(own, request)] };

const ownNode = (own: SellerNode, { id, publisherId }: { readonly id: string; readonly publisherId: number }): SupplyChainNode => ({
  asi: own.asi,
  sid: sellerIdOf(own, publisherId),
  hp: 1,
  rid: id,
  ...(own.name !== null && { name: own.name }),
  ...(own.domain !== null && { domain: own.domain }),
});
